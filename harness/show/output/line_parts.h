/*
 * Lines of limited width: one that is filled with the parts for which there is room, and texts that
 * are wrapped. Widths are in columns of a terminal.
 */
#ifndef OUTPUT_LINE_PARTS_H
#define OUTPUT_LINE_PARTS_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* The columns of a text that is valid UTF-8. */
size_t line_columns(const char *text);

/* Bytes of the whole words at the beginning of a text that take at most `columns`; 0: none does. */
size_t line_words(const char *text, size_t len, size_t columns);

/* Appends a text, made safe; a wider one ends behind a word and with "...", a single word has no
 * middle. */
void line_put_words(struct buf *out, const char *text, size_t columns);

/* Drops the last clauses where these do not fit: "a.c:7 +58.0 ms, other lines +6.40 ms". */
void line_drop_clauses(struct buf *text, size_t columns);

struct line_parts {
	struct buf line;
	size_t room;
};

/* Adds a part of the line, behind `between` if it is not the first, if it fits; whether it did. */
bool line_parts_add(struct line_parts *parts, const char *between, const char *text);

/* Appends `text` wrapped to 100 columns, every line after `indent` spaces. */
void text_wrap(struct buf *out, const char *text, size_t indent);
/* text_wrap() with the first line after `first` spaces and `label`, together at most `indent`. */
void text_wrap_behind(
	struct buf *out, size_t first, const char *label, const char *text, size_t indent);
/* `fmt` and its arguments as one sentence, wrapped behind `label`. */
void text_sentence(struct buf *out, size_t first, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
