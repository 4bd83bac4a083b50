/*
 * The keys of what a run writes and returns: `stdout` and `exit_codes`.
 */
#include "base/exit_codes.h"
#include "spec/sections_internal.h"

#include <stdlib.h>
#include <string.h>

int
stdout_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	const char **path = into;
	const char *text = keys_text(reader, node, "'pipe', 'discard' or a file");

	if (!text)
		return -1;
	if (text[0] == '\0')
		return keys_refuse(reader, node,
			"'stdout' is an empty text: expected 'pipe', 'discard' or a file");
	*path = strcmp(text, "pipe") == 0      ? NULL
		: strcmp(text, "discard") == 0 ? "/dev/null"
					       : text;
	return 0;
}

int
exit_codes_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	struct exit_codes *codes = into;

	if (node->kind != YAML_SEQUENCE || !node->first)
		return keys_refuse(reader, node,
			"'exit_codes' must be a list of numbers from 0 to 255, such as [0, 1]; %s",
			keys_found(reader, node));
	*codes = (struct exit_codes){{0}};
	for (const struct yaml_node *at = node->first; at; at = at->next) {
		const char *text = at->kind == YAML_SCALAR ? at->text : "";
		const size_t len = strlen(text);
		const long code =
			len > 0 && len < 4 && strspn(text, "0123456789") == len ? atol(text) : -1;

		if (code < 0 || code > 255)
			return keys_refuse(reader, at, "an exit code is a number from 0 to 255; %s",
				keys_found(reader, at));
		exit_codes_add(codes, (uint8_t)code);
	}
	return 0;
}
