#include "base/relative_path.h"

#include "base/buf.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>

static bool
is_end(char c)
{
	return c == '/' || c == '\0';
}

/* Length in bytes of the folders that both paths begin with. */
static size_t
common_folders(const char *from, const char *to)
{
	size_t common = 0;

	for (size_t i = 0;; i++) {
		if (is_end(from[i]) && is_end(to[i]))
			common = i;
		if (from[i] != to[i] || from[i] == '\0')
			return common;
	}
}

char *
relative_path(const char *from, const char *to)
{
	size_t common = common_folders(from, to);
	struct buf way = {0};

	for (const char *c = from + common; *c; c++) {
		if (*c == '/' && c[1] != '\0')
			buf_puts(&way, "../");
	}
	buf_puts(&way, to[common] == '/' ? to + common + 1 : to + common);
	while (way.len > 1 && way.data[way.len - 1] == '/')
		way.data[--way.len] = '\0';
	char *result = mem_strdup(way.len > 0 ? buf_text(&way) : ".");

	buf_release(&way);
	return result;
}
