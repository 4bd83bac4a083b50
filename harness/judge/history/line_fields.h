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

enum field_type {
	FIELD_TIME,   /* int64_t, seconds since 1970: "2026-01-31T12:00:00Z" */
	FIELD_TEXT,   /* const char *; "" is not known */
	FIELD_NEEDED, /* double above 0 */
	FIELD_NUMBER, /* double of 0 or more; NAN: not known */
	FIELD_MODE,   /* bool: "paired", else "stored" */
};

/* A field of the struct that a line is read into; tables end with a NULL name. */
struct field {
	const char *name; /* named in the error if the line ends before it: "a tab and the unit" */
	enum field_type type;
	size_t offset;
};

/* Reads the line text[0..len) of `at`, without its end, into the struct. Texts are the arena's. */
int fields_parse(const struct field *fields, void *into, const struct location *at,
	struct arena *arena, struct err *err);
/* The error that something else was expected at `where` in the line; returns -1. */
int fields_refuse(
	const struct location *line, const char *where, const char *expected, struct err *err);

void fields_put_text(struct buf *out, const char *text);
/* "-" where it is not finite. */
void fields_put_number(struct buf *out, double value);

#endif
