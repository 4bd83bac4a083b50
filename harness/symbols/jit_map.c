#include "symbols/jit_map.h"

#include "base/buf.h"
#include "base/file.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define JIT_MAP_BYTES_MAX (256u << 20)

static const char *
parse_hex(const char *at, const char *end, uint64_t *value)
{
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
		uint64_t size;
		const char *at =
			line_end - line > 2 && line[0] == '0' && line[1] == 'x' ? line + 2 : line;

		at = parse_hex(at, line_end, &start);
		if (at)
			at = parse_hex(at, line_end, &size);
		if (at && at < line_end && size > 0)
			symtab_add(tab, start, size, BINDING_GLOBAL,
				arena_dup(&tab->arena, at, (size_t)(line_end - at)), true);
		line = line_end + 1;
	}
	symtab_settle(tab, false);
}

void
jit_map_load(struct symtab *tab, uint32_t pid)
{
	struct err err = {0};
	struct stat info;
	struct buf text;
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	if (lstat(path, &info) < 0 || !S_ISREG(info.st_mode) ||
		(info.st_uid != 0 && info.st_uid != geteuid()))
		return;
	buf_init(&text);
	if (file_read(path, &text, JIT_MAP_BYTES_MAX, &err) == 0)
		jit_map_parse(tab, buf_text(&text), text.len);
	buf_release(&text);
}
