/*
 * The key `inputs` of a workload: files outside git that every build of it reads from the working
 * tree.
 */
#include "spec/sections_internal.h"

#include <stdbool.h>
#include <string.h>

#define INPUTS_MAX 64

/* Whether a path stays below the folder that it starts from: relative, and without "..". */
static bool
stays_below(const char *path)
{
	if (path[0] == '/' || path[0] == '\0')
		return false;
	for (const char *at = path; *at; at += *at == '/') {
		size_t len = strcspn(at, "/");

		if (len == 2 && strncmp(at, "..", 2) == 0)
			return false;
		at += len;
	}
	return true;
}

int
inputs_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	const char ***inputs = into;
	size_t count = 0;

	if (node->kind != YAML_SEQUENCE || !node->first)
		return keys_refuse(reader, node,
			"'inputs' must be a list of files or patterns, such as [data/*.bin]; %s",
			keys_found(reader, node));
	if (yaml_count(node) > INPUTS_MAX)
		return keys_refuse(reader, node, "'inputs' has at most %d entries", INPUTS_MAX);
	const char **all = arena_alloc(reader->arena, (yaml_count(node) + 1) * sizeof(*all));

	for (const struct yaml_node *at = node->first; at; at = at->next) {
		const char *text = keys_text(reader, at, "a text: a file or a pattern");

		if (!text)
			return -1;
		if (!stays_below(text))
			return keys_refuse(reader, at,
				"'%.80s' is not a path in the working tree: 'inputs' has relative "
				"paths without '..' (a file elsewhere is read by both builds anyway)",
				text);
		all[count++] = text;
	}
	all[count] = NULL;
	*inputs = all;
	return 0;
}
