/*
 * Parses a perf map.
 */
#include "base/mem.h"
#include "symbols/symbols_internal.h"

#include <ctype.h>
#include <string.h>

/* A number and the space behind it; "0x" may stand before it, as Java writes both numbers. */
static const char *
parse_hex(const char *at, const char *end, uint64_t *value)
{
	if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		at += 2;
	const char *start = at;

	for (*value = 0; at < end && isxdigit((unsigned char)*at) && at - start < 16; at++) {
		char c = (char)tolower((unsigned char)*at);

		*value = *value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return at > start && at < end && *at == ' ' ? at + 1 : NULL;
}

void
jit_map_parse(struct symtab *tab, const char *text, size_t len)
{
	const char *end = text + len;

	for (const char *line = text; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		const char *line_end = newline ? newline : end;
		uint64_t start;
		uint64_t size = 0;
		size_t name_len;
		const char *at = parse_hex(line, line_end, &start);

		if (at)
			at = parse_hex(at, line_end, &size);
		name_len = at ? (size_t)(line_end - at) : 0;
		if (name_len > JIT_NAME_BYTES_MAX)
			name_len = JIT_NAME_BYTES_MAX;
		if (name_len > 0 && size > 0)
			symtab_add(tab, start, size, BINDING_GLOBAL,
				arena_dup(&tab->arena, at, name_len), true);
		line = line_end + 1;
	}
	jit_pieces_cut(tab);
}
