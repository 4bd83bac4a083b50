/*
 * Where functions begin and end in their source. Debug information tells only the line of a
 * function's declaration, and for Go not even that.
 */
#ifndef BUILDS_SOURCE_FUNCTIONS_H
#define BUILDS_SOURCE_FUNCTIONS_H

#include "base/arena.h"
#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

/*
 * The last line of the function that is declared in `line` (1 is the first) of a text; that line
 * where the text has no such line or ends before the function does.
 *
 * For languages whose functions have braces: C, C++, Go, Rust, Java, JavaScript and the like.
 * Strings, characters and comments are skipped. A function without braces ends with its statement.
 */
uint32_t function_end(const char *text, size_t len, uint32_t line);

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
