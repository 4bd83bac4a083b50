#include "output/line_parts.h"

#include "base/escape.h"
#include "format/name.h"

#include <string.h>

size_t
line_columns(const char *text)
{
	return name_columns(text, strlen(text));
}

/* Bytes of a text of at most `columns`, up to the end of a word. */
static size_t
head_of_words(const char *text, size_t len, size_t columns)
{
	const size_t most = name_head(text, len, columns);
	size_t kept = most;

	while (kept > 0 && text[kept] != ' ')
		kept--;
	return kept > 0 ? kept : most;
}

void
line_put_words(struct buf *out, const char *text, size_t columns)
{
	struct buf safe = {0};

	escape_utf8(&safe, text, strlen(text));
	if (name_columns(buf_text(&safe), safe.len) <= columns) {
		buf_put(out, buf_text(&safe), safe.len);
	} else if (!strchr(buf_text(&safe), ' ')) {
		name_fit(out, text, strlen(text), columns);
	} else {
		buf_put(out, buf_text(&safe),
			head_of_words(buf_text(&safe), safe.len, columns - strlen(" ...")));
		buf_puts(out, " ...");
	}
	buf_release(&safe);
}

void
line_drop_clauses(struct buf *text, size_t columns)
{
	for (size_t i = text->len; i > 0 && line_columns(buf_text(text)) > columns; i--) {
		if (text->data[i - 1] != ',')
			continue;
		text->len = i - 1;
		text->data[text->len] = '\0';
	}
}

bool
line_parts_add(struct line_parts *parts, const char *between, const char *text)
{
	const char *sep = parts->line.len > 0 ? between : "";
	const size_t columns = line_columns(buf_text(&parts->line));

	if (!text[0] || columns + strlen(sep) + line_columns(text) > parts->room)
		return false;
	buf_printf(&parts->line, "%s%s", sep, text);
	return true;
}
