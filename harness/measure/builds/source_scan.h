/*
 * Scanning source text of languages with braces, character by character, to find its functions:
 * strings, character constants and comments, whose braces are not code, are skipped.
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

/*
 * The end of a function in its source: debug information tells only the line of its declaration.
 */

/*
 * The last line of the function that is declared in `line` (1 is the first) of a text; that line
 * where the text has no such line or ends before the function does.
 *
 * For languages whose functions have braces: C, C++, Go, Rust, Java, JavaScript and the like.
 * Strings, characters and comments are skipped. A function without braces ends with its statement.
 */
uint32_t function_end(const char *text, size_t len, uint32_t line);

/*
 * The functions that a source file of Go declares, whose lines are not in its debug information.
 */

/* A function that a source file of Go declares. */
struct go_function {
	const char *name; /* as go_function_name() has it: "lex.(*Scanner).next" */
	uint32_t first;   /* the line of "func" */
	uint32_t last;
};

struct go_functions {
	struct go_function *functions; /* owned; names are the arena's */
	size_t count;
	size_t capacity;
};

/* Reads those of a text, as gofmt has it. */
void go_functions_read(
	struct go_functions *found, const char *text, size_t len, struct arena *arena);
void go_functions_release(struct go_functions *found);

/*
 * Sets `out` to the name by which the source declares a function of a Go program: without the
 * folders of its package and without type arguments; for a closure, that of the function around it.
 * "tool/lex.(*Scanner[go.shape.int_0]).next.func1" is of "lex.(*Scanner).next".
 */
void go_function_name(const char *name, struct buf *out);

#endif
