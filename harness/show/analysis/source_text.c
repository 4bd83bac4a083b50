#include "analysis/source_text.h"

#include "base/escape.h"
#include "base/file.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Generated sources are large, but no source is larger. */
#define SOURCE_BYTES_MAX ((size_t)64 << 20)
#define TAB_COLUMNS 8

void
source_text_release(struct source_text *source)
{
	free(source->path);
	free(source->starts);
	buf_release(&source->text);
	*source = (struct source_text){0};
}

static void
add_start(struct source_text *source, size_t start)
{
	source->starts = mem_grow(source->starts, &source->starts_capacity, source->nlines + 2,
		sizeof(*source->starts));
	source->starts[source->nlines] = start;
}

static void
find_lines(struct source_text *source)
{
	const char *text = buf_text(&source->text);

	add_start(source, 0);
	for (size_t i = 0; i < source->text.len; i++) {
		if (text[i] == '\n' || i + 1 == source->text.len) {
			source->nlines++;
			add_start(source, i + 1);
		}
	}
}

/* Takes over `path`. A pipe or a device is no source. */
static bool
open_at(struct source_text *source, char *path)
{
	struct err ignored = {0};
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
		file_read(path, &source->text, SOURCE_BYTES_MAX, &ignored) < 0) {
		buf_clear(&source->text);
		free(path);
		return false;
	}
	source->path = path;
	source->written_s = st.st_mtim.tv_sec;
	find_lines(source);
	return true;
}

bool
source_text_find(struct source_text *source, const char *path, const char *folder)
{
	*source = (struct source_text){0};
	if (!folder && open_at(source, mem_strdup(path)))
		return true;
	for (const char *end = path; folder && end && *end; end = strchr(end, '/')) {
		while (*end == '/')
			end++;
		if (*end && open_at(source, file_join(folder, end)))
			return true;
	}
	buf_release(&source->text);
	return false;
}

/* Appends the line with its tabs as spaces. */
static void
put_expanded(struct buf *out, const char *text, size_t len)
{
	size_t column = 0;

	for (size_t i = 0; i < len; i++) {
		size_t spaces = text[i] == '\t' ? TAB_COLUMNS - column % TAB_COLUMNS : 0;

		if (spaces == 0)
			buf_putc(out, text[i]);
		buf_printf(out, "%*s", (int)spaces, "");
		column += spaces > 0 ? spaces : ((unsigned char)text[i] & 0xc0) != 0x80;
	}
}

void
source_text_put(const struct source_text *source, uint32_t number, struct buf *out)
{
	struct buf line = {0};

	if (number == 0 || number > source->nlines)
		return;
	const size_t start = source->starts[number - 1];
	const char *text = buf_text(&source->text) + start;
	size_t len = source->starts[number] - start;

	while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
		len--;
	put_expanded(&line, text, len);
	escape_utf8(out, buf_text(&line), line.len);
	buf_release(&line);
}

const char *
source_text_line(const struct source_text *source, size_t line, size_t *len)
{
	*len = source->starts[line + 1] - source->starts[line];
	return buf_text(&source->text) + source->starts[line];
}
