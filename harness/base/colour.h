/*
 * Verdicts in colour, on terminals only: a file gets the same text without colour.
 */
#ifndef BASE_COLOUR_H
#define BASE_COLOUR_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

enum colour_when {
	COLOUR_AUTO, /* on a terminal, unless NO_COLOR is set or TERM is "dumb" */
	COLOUR_ALWAYS,
	COLOUR_NEVER,
};

/* For the whole process: COLOUR_AUTO at the start. */
void colour_set(enum colour_when when);

/* Whether output to `fd` is to be coloured. */
bool colour_wanted(int fd);

/*
 * Appends `text` with each verdict in its colour (SGR sequences of ECMA-48): pass, warn, fail and
 * the like in any case, where they begin a line, ahead of a colon or two blanks, or end it behind
 * ": ". The bytes without the sequences are those of `text`.
 */
void colour_verdicts(struct buf *out, const char *text, size_t len);

#endif
