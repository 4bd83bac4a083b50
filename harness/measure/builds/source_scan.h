/*
 * Scanning source text of languages with braces, character by character: strings, character
 * constants and comments, whose braces are not code, are skipped.
 */
#ifndef BUILDS_SOURCE_SCAN_H
#define BUILDS_SOURCE_SCAN_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source_scan {
	const char *at; /* borrowed */
	const char *end;
	uint32_t line; /* of `at`; 1 is the first */
};

bool source_starts_with(const struct source_scan *scan, const char *text);
/* Advances by so many bytes, or to the end. */
void source_advance(struct source_scan *scan, size_t count);
/* Advances behind the string, character or comment that begins here; false where none does. */
bool source_pass_other(struct source_scan *scan);

/* Where a line of a text begins; NULL: it has no such line. */
const char *line_begin(const char *text, size_t len, uint32_t line);

/* Whether a byte is of a word: a letter, a digit, '_' or part of a character beyond ASCII. */
bool source_is_word(char c);

#endif
