/*
 * Writes markup that contains text from outside, which is escaped.
 */
#ifndef OUTPUT_MARKUP_H
#define OUTPUT_MARKUP_H

#include "base/buf.h"

#include <stdarg.h>

/* Text as XML or HTML, newlines kept. */
void markup_text(struct buf *out, const char *text);
/* Text as one line of XML or HTML, for attributes: newlines become blanks. */
void markup_line(struct buf *out, const char *text);

/*
 * Text that may hold hostile names, as one safe line of Markdown that is at most `columns` wide,
 * and bounded in bytes, since there are characters that take no column.
 */
void markup_fit(struct buf *out, const char *text, size_t columns);

/* A sentence as markup_fit() writes text; a longer one ends behind a word, and with "...". */
void markup_sentence(struct buf *out, const char *text, size_t columns);

/* "Reproduce: <code>...</code> (on any machine)"; nothing for a command wider than `columns`. */
void markup_command(
	struct buf *out, const char *label, const char *command, const char *note, size_t columns);

typedef void markup_escape(struct buf *out, const char *text);

/* Appends `fmt`, each "%s" in it an argument escaped; it has no other conversions. */
void markup_put(struct buf *out, markup_escape *escape, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void markup_vput(struct buf *out, markup_escape *escape, const char *fmt, va_list args);

#endif
