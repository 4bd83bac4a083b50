/*
 * The functions that a source file of Go declares, whose lines are not in its debug information.
 */
#ifndef BUILDS_GO_FUNCTIONS_H
#define BUILDS_GO_FUNCTIONS_H

#include "base/arena.h"
#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

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
