#include "output/line_parts.h"

#include "analysis/sentences.h"
#include "base/escape.h"
#include "format/name_fit.h"

#include <stdarg.h>
#include <string.h>

#define LONG_WORD 30     /* columns */
#define WRAP_COLUMNS 100 /* of lines in report.txt and in results on a console */

size_t
line_columns(const char *text)
{
	return name_columns(text, strlen(text));
}

size_t
line_words(const char *text, size_t len, size_t columns)
{
	size_t kept = name_head(text, len, columns);

	while (kept > 0 && text[kept] != ' ')
		kept--;
	return kept;
}

/* Whole words; the one that does not fit, a path say, loses its middle where there is room for
 * some.
 */
static void
put_head(struct buf *out, const struct buf *text, size_t columns)
{
	const char *begin = buf_text(text);
	const size_t room = columns - strlen(" ...");
	const size_t kept = line_words(begin, text->len, room);
	const char *word = begin + kept + (kept > 0);
	const size_t len = strcspn(word, " ");
	const size_t left = room - name_columns(begin, kept);
	const bool shortened =
		kept == 0 || (name_columns(word, len) > LONG_WORD && left > LONG_WORD / 2);

	buf_put(out, begin, kept);
	buf_puts(out, shortened && kept > 0 ? " " : "");
	if (shortened)
		name_fit(out, word, len, left - (kept > 0));
	buf_puts(out, shortened && word[len] == '\0' ? "" : " ...");
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
		put_head(out, &safe, columns);
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

void
text_wrap(struct buf *out, const char *text, size_t indent)
{
	text_wrap_behind(out, indent, "", text, indent);
}

void
text_wrap_behind(struct buf *out, size_t first, const char *label, const char *text, size_t indent)
{
	analysis_pad(out, first);
	buf_printf(out, "%-*s", (int)(indent - first), label);
	analysis_wrap(out, text, indent, WRAP_COLUMNS, true);
}

void
text_sentence(struct buf *out, size_t first, const char *label, const char *fmt, ...)
{
	struct buf line = {0};
	va_list args;

	va_start(args, fmt);
	buf_vprintf(&line, fmt, args);
	va_end(args);
	text_wrap_behind(out, first, label, buf_text(&line), first + strlen(label));
	buf_release(&line);
}
