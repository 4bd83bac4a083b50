/*
 * The definitions of types, macros, constants and variables that have a changed line, and the
 * functions that are compiled from them. A function is, if its text has the name of the definition,
 * of a member on a changed line, or of another definition in the same file that is made from it.
 */
#ifndef GATE_CHANGED_DEFINITIONS_H
#define GATE_CHANGED_DEFINITIONS_H

#include "builds/diff_hunks.h"
#include "builds/source_definitions.h"

#define DEFINITION_WORDS 16

struct changed_definition {
	const char *path; /* in the repository; borrowed */
	uint32_t line;    /* the first changed line */
	size_t begin;     /* offset of the definition in its file */
	enum definition_kind kind;
	char *name; /* owned: "macro LIMIT", "struct node", "next (inlined)" */
	/* Owned: the names by which it is found, first its own and those of its members. */
	char *words[DEFINITION_WORDS];
	size_t nwords;
	size_t ndirect; /* the number of its own names and members */
};

/* Owned; in the order of the difference. */
struct changed_definitions {
	struct changed_definition *all;
	size_t count;
	size_t nnamed; /* of macros, constants and variables: functions use these by name */
	size_t capacity;
};

/* The text of a file with definitions; borrowed. */
struct definition_text {
	const char *bytes;
	size_t len;
};

/*
 * Adds the definitions of a file with its changed ranges, at least one; the text ends with a zero.
 */
void changed_definitions_add_file(struct changed_definitions *definitions,
	const struct changed_range *ranges, size_t nranges, const struct definition_text *text);
/* Adds an inlined function with a changed line, unless it is there; returns its number, from 1. */
uint32_t changed_definitions_add_function(struct changed_definitions *definitions, const char *path,
	const char *function, uint32_t line);
void changed_definitions_release(struct changed_definitions *definitions);

/*
 * The kind of changed definition whose name a function's text has: DEFINITION_VALUE, for a constant
 * or a variable, else DEFINITION_MACRO; DEFINITION_NONE: it has none.
 */
enum definition_kind changed_definitions_named(
	const struct changed_definitions *definitions, const char *text, size_t len);

/*
 * The number, from 1, of the definition with most of its names and members in a function's text. 0:
 * none, or several have as many. If there is only one definition, it is that of every function.
 */
uint32_t changed_definitions_used(
	const struct changed_definitions *definitions, const char *text, size_t len);

#endif
