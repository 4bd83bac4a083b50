/*
 * Lines of fields between tabs. "-" is what is not known. Texts are escaped: \t, \n, \\, and \xHH
 * for every other control character, and for a text that is "-".
 */
#ifndef HISTORY_LINE_FIELDS_H
#define HISTORY_LINE_FIELDS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>

enum line_field_type {
	LINE_FIELD_TIME,       /* int64_t, seconds since 1970: "2026-01-31T12:00:00Z" */
	LINE_FIELD_TEXT,       /* const char *; "" is not known */
	LINE_FIELD_NEEDED,     /* double above 0 */
	LINE_FIELD_NUMBER,     /* double of 0 or more; NAN: not known */
	LINE_FIELD_LATER_TEXT, /* a text that older lines end before: the struct's stays as it is */
	LINE_FIELD_MODE,       /* bool: "paired", else "stored" */
};

/* A field of the struct that a line is read into; tables end with a NULL name. */
struct line_field {
	const char *name; /* named in the error if the line ends before it: "a tab and the unit" */
	enum line_field_type type;
	size_t offset;
};

/* Reads the line text[0..len) of `at`, without its end, into the struct. Texts are the arena's. */
int fields_parse(const struct line_field *fields, void *into, const struct location *at,
	struct arena *arena, struct err *err);

/* The error that the line has something else than `expected` at `where`; returns -1. */
int fields_refuse(
	const struct location *line, const char *where, const char *expected, struct err *err);

/* Appends a text, escaped; "-" for "". */
void fields_put_text(struct buf *out, const char *text);
/* Appends a number; "-" where it is not finite. */
void fields_put_number(struct buf *out, double value);

#endif
