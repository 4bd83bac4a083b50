/*
 * Source text of languages with braces, character by character: texts, characters and comments,
 * whose braces are none of code, are passed over. Also where functions end in it, and the functions
 * that a file of Go declares.
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
/* By so many bytes, or to the end. */
void source_advance(struct source_scan *scan, size_t count);
/* Behind the text, character or comment that begins here; false where none does. */
bool source_pass_other(struct source_scan *scan);

/* Where a line of a text begins; NULL: it has no such line. */
const char *line_begin(const char *text, size_t len, uint32_t line);

/* Whether a byte is of a word: a letter, a digit, '_' or part of a character beyond ASCII. */
bool source_is_word(char c);

/*
 * The end of a function in its source, for debug information tells the line of its declaration
 * only.
 *
 * For languages whose functions have braces: C, C++, Go, Rust, Java, JavaScript and the like.
 * Texts, characters and comments are passed over. A function without braces ends with its
 * statement.
 */

/*
 * The last line of the function that is declared in `line` (1 is the first) of a text; that line
 * where the text has no such line or ends before the function does.
 */
uint32_t function_end(const char *text, size_t len, uint32_t line);

/*
 * The functions that a source file of Go declares, whose lines are not in its debug information.
 */

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
 * Puts the name of the declaration that a function of a program is of into `out`, emptied first:
 * without the folders of its package and without type arguments; of a closure that of the function
 * around it. "tool/lex.(*Scanner[go.shape.int_0]).next.func1" is of "lex.(*Scanner).next".
 */
void go_function_name(const char *name, struct buf *out);

#endif
