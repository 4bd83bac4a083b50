#include "analysis/package.h"

#include "base/file.h"
#include "base/mem.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define LIST_BYTES_MAX (16 << 20)

static int
is_list(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > 5 && strcmp(entry->d_name + len - 5, ".list") == 0;
}

/* Whether one line of `text` is `path`. */
static bool
has_line(const char *text, const char *path)
{
	size_t len = strlen(path);

	for (const char *at = strstr(text, path); at; at = strstr(at + 1, path))
		if ((at == text || at[-1] == '\n') && (at[len] == '\n' || at[len] == '\0'))
			return true;
	return false;
}

static bool
list_has(const char *folder, const char *name, const char *path, const char *unmerged)
{
	struct err ignored = {0};
	struct buf text = {0};
	char *list = file_join(folder, name);

	bool found = file_read(list, &text, LIST_BYTES_MAX, &ignored) == 0 &&
		     (has_line(buf_text(&text), path) ||
			     (unmerged && has_line(buf_text(&text), unmerged)));

	buf_release(&text);
	free(list);
	return found;
}

bool
package_of_file(const char *folder, const char *path, struct buf *out)
{
	struct dirent **entries;
	bool merged = strncmp(path, "/usr/", 5) == 0;
	char *other = merged ? NULL : mem_printf("/usr%s", path);
	const char *unmerged = merged ? path + 4 : other;
	bool found = false;

	/* In order, so that the same one is found each time. */
	int n = path[0] == '/' ? scandir(folder, &entries, is_list, alphasort) : -1;

	for (int i = 0; i < n; i++) {
		if (!found && list_has(folder, entries[i]->d_name, path, unmerged)) {
			/* "libc6:amd64.list" */
			buf_put(out, entries[i]->d_name,
				strcspn(entries[i]->d_name, ":") < strlen(entries[i]->d_name) - 5
					? strcspn(entries[i]->d_name, ":")
					: strlen(entries[i]->d_name) - 5);
			found = true;
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	free(other);
	return found;
}

void
package_put_symbols(struct buf *out, const char *package)
{
	buf_printf(out, "%s-%s", package, strcmp(package, "libc6") == 0 ? "dbg" : "dbgsym");
}
