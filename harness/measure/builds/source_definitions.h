/*
 * The definitions outside functions that a source file has: types, names for types, macros,
 * constants and variables, of C, C++, Rust and Go. A change of one changes functions without a
 * changed line.
 *
 * A definition in a namespace, a module or an "impl" counts; what a type has within belongs to the
 * type, but for its functions, which belong to nothing.
 */
#ifndef BUILDS_SOURCE_DEFINITIONS_H
#define BUILDS_SOURCE_DEFINITIONS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum definition_kind {
	DEFINITION_NONE,  /* nothing, or a function */
	DEFINITION_TYPE,  /* or another name for one */
	DEFINITION_MACRO, /* its text is in that of functions */
	DEFINITION_VALUE, /* a constant or a variable */
};

struct source_definition {
	enum definition_kind kind; /* DEFINITION_NONE: a function of a type */
	const char *keyword;       /* "struct", "typedef", "const"; borrowed for ever */
	const char *name;          /* "": a type without one */
	const char *alias;         /* the name behind the braces of a type; "": none */
	uint32_t first;            /* lines */
	uint32_t last;
	size_t begin; /* bytes of the text */
	size_t end;
};

/* All zeros: none. Names are the arena's. */
struct source_definitions {
	struct source_definition *all; /* owned; in the order in which they begin */
	size_t count;
	size_t capacity;
};

/* Reads those of a text; of Go statements end with their lines. */
void source_definitions_read(struct source_definitions *found, const char *text, size_t len,
	bool go, struct arena *arena);
void source_definitions_release(struct source_definitions *found);

/* The innermost that a line of the text belongs to; NULL for none, and for comments. */
const struct source_definition *source_definitions_at(
	const struct source_definitions *found, const char *text, size_t len, uint32_t line);

#endif
