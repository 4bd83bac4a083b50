/* Paths as text (file.h): joining them, their last part, and from one to another or to a folder. */
#include "base/file.h"

#include "base/buf.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

char *
file_join(const char *dir, const char *name)
{
	size_t len = strlen(dir);

	if (len > 0 && dir[len - 1] == '/')
		return mem_printf("%s%s", dir, name);
	return mem_printf("%s/%s", dir, name);
}

const char *
file_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *
file_path_below(const char *path, const char *folder)
{
	const size_t len = folder ? strlen(folder) : 0;

	return len > 0 && strncmp(path, folder, len) == 0 && path[len] == '/' ? path + len + 1
									      : NULL;
}

const char *
file_path_from_here(const char *path)
{
	char *here = realpath(".", NULL);
	const char *below = file_path_below(path, here);

	free(here);
	return below ? below : path;
}

static bool
ends_part(char c)
{
	return c == '/' || c == '\0';
}

/* Length in bytes of the path of the deepest folder that both paths have in common. */
static size_t
common_folders(const char *from, const char *to)
{
	size_t common = 0;

	for (size_t i = 0;; i++) {
		if (ends_part(from[i]) && ends_part(to[i]))
			common = i;
		if (from[i] != to[i] || from[i] == '\0')
			return common;
	}
}

char *
file_relative_path(const char *from, const char *to)
{
	size_t common = common_folders(from, to);
	struct buf relative = {0};

	for (const char *c = from + common; *c; c++) {
		if (*c == '/' && c[1] != '\0')
			buf_puts(&relative, "../");
	}
	buf_puts(&relative, to[common] == '/' ? to + common + 1 : to + common);
	while (relative.len > 1 && relative.data[relative.len - 1] == '/')
		relative.data[--relative.len] = '\0';
	char *result = mem_strdup(relative.len > 0 ? buf_text(&relative) : ".");

	buf_release(&relative);
	return result;
}
