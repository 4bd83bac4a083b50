/*
 * The key `requires` of a workload: the programs that it cannot be measured without, and the
 * packages that have them.
 */
#include "spec/sections_internal.h"

#include "spec/workload.h"

#include <string.h>

#define REQUIRED_MAX 32
#define NAME_BYTES_MAX 255

/* Without what a terminal or a log would act upon. */
static bool
is_printable(const char *text)
{
	size_t len = 0;

	while ((unsigned char)text[len] > ' ' && text[len] != 0x7f)
		len++;
	return len > 0 && text[len] == '\0' && len <= NAME_BYTES_MAX;
}

/* It becomes part of a command that people copy. */
static bool
is_package(const char *text)
{
	static const char valid[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789+-._:";

	return text[0] != '\0' && text[0] != '-' && text[strspn(text, valid)] == '\0';
}

static int
read_program(const struct key_reader *reader, const struct yaml_node *node, const char *text,
	struct requirement *to)
{
	if (!text)
		return -1;
	if (!is_printable(text))
		return keys_refuse(reader, node,
			"'requires' has the name of a program, or its path, which may have wildcards: "
			"found '%.80s'",
			text);
	to->program = arena_strdup(reader->arena, text);
	return 0;
}

static int
read_package(const struct key_reader *reader, const struct yaml_node *node, struct requirement *to)
{
	const char *package = keys_text(reader, node, "a package, such as redis-tools");

	if (!package)
		return -1;
	if (!is_package(package))
		return keys_refuse(
			reader, node, "'%.80s' cannot be the name of a package", package);
	to->package = package;
	return 0;
}

int
requires_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	const bool is_list = node->kind == YAML_SEQUENCE;
	const struct requirement **requires = into;
	size_t count = 0;

	if ((!is_list && node->kind != YAML_MAPPING) || !node->first)
		return keys_refuse(reader, node,
			"'requires' must be a list of programs, or a mapping of programs to their "
			"packages ('redis-benchmark: redis-tools'); %s",
			keys_found(reader, node));
	if (yaml_count(node) > REQUIRED_MAX)
		return keys_refuse(
			reader, node, "'requires' has at most %d programs", REQUIRED_MAX);
	struct requirement *all = arena_alloc(reader->arena, (yaml_count(node) + 1) * sizeof(*all));

	for (const struct yaml_node *at = node->first; at; at = at->next, count++) {
		const char *text =
			is_list ? keys_text(reader, at, "a text: a program") : at->key->text;

		all[count] = (struct requirement){0};
		if (read_program(reader, is_list ? at : at->key, text, &all[count]) < 0 ||
			(!is_list && read_package(reader, at, &all[count]) < 0))
			return -1;
	}
	all[count] = (struct requirement){0};
	*requires = all;
	return 0;
}
