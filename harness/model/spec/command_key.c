#include "spec/sections_internal.h"

int
command_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	const char ***run = into;
	size_t count = 0;

	if (node->kind == YAML_SEQUENCE && node->first) {
		const char **argv =
			arena_alloc(reader->arena, (yaml_count(node) + 1) * sizeof(*argv));

		for (const struct yaml_node *at = node->first; at; at = at->next) {
			argv[count] = keys_text(reader, at, "a text: one argument of the command");
			if (!argv[count++])
				return -1;
		}
		if (argv[0][0] == '\0')
			return keys_refuse(
				reader, node->first, "the program to run is an empty text");
		*run = argv;
		return 0;
	}
	if (node->kind != YAML_SCALAR || yaml_is_null(node) || node->text[0] == '\0')
		return keys_refuse(reader, node,
			"'%s' must be a command: a list such as [./program, --rounds, 60], or one text for the shell; %s",
			node->key->text, keys_found(reader, node));
	const char **argv = arena_alloc(reader->arena, 4 * sizeof(*argv));

	argv[0] = "/bin/sh";
	argv[1] = "-c";
	argv[2] = arena_strdup(reader->arena, node->text);
	*run = argv;
	return 0;
}
