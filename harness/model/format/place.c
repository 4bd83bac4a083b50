#include "format/place.h"

#include "base/file.h"

#include "base/escape.h"
#include "format/name_fit.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/*
 * Appends a path without "." and "..". Compilers join the folder they ran in and the name they were
 * given: "/src/build/../lex.c". A ".." is removed with the part before it, but one at the front of
 * a relative path stays.
 */
static void
put_normal(struct buf *out, const char *path)
{
	size_t start = out->len;

	if (*path == '/')
		buf_putc(out, '/');
	size_t root = out->len;

	while (*path) {
		size_t len = strcspn(path, "/");
		const char *written = buf_text(out) + start;
		const char *slash = strrchr(written, '/');
		const char *last = slash ? slash + 1 : written;

		if (len == 2 && memcmp(path, "..", 2) == 0 && out->len > root &&
			strcmp(last, "..") != 0) {
			out->len =
				slash && slash > written ? start + (size_t)(slash - written) : root;
			out->data[out->len] = '\0';
		} else if (len > 0 && !(len == 1 && *path == '.')) {
			buf_puts(out, out->len > root ? "/" : "");
			buf_put(out, path, len);
		}
		path += len + (path[len] == '/');
	}
}

void
place_put_path(struct buf *out, const char *path)
{
	char folder[PATH_MAX];
	struct buf normal = {0};

	if (strlen(path) < PATH_MAX)
		put_normal(&normal, path);
	else
		buf_puts(&normal, path);
	const char *text = buf_text(&normal);
	const char *below = getcwd(folder, sizeof(folder)) ? file_path_below(text, folder) : NULL;

	buf_puts(out, below && *below ? below : text);
	buf_release(&normal);
}

void
place_put(struct buf *out, const char *file, unsigned line)
{
	if (*file == '\0')
		return;
	place_put_path(out, file);
	if (line > 0)
		buf_printf(out, ":%u", line);
}

void
place_fit(struct buf *out, const char *file, unsigned line, size_t columns)
{
	struct buf place = {0};
	struct buf valid = {0};

	place_put(&place, file, line);
	escape_utf8(&valid, buf_text(&place), place.len);
	const char *text = buf_text(&valid);
	const char *tail = valid.len > PATH_MAX ? text + valid.len - PATH_MAX : text;

	/* The file itself is kept, and as many of its folders as there is room for. */
	while (name_columns(tail, strlen(tail)) + (tail > text ? strlen(".../") : 0) > columns) {
		const char *slash = strchr(tail + 1, '/');

		if (!slash)
			break;
		tail = slash + 1;
	}
	buf_puts(out, tail > text ? ".../" : "");
	name_fit(out, tail, strlen(tail), tail > text ? columns - strlen(".../") : columns);
	buf_release(&valid);
	buf_release(&place);
}
