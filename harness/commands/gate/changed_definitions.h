/*
 * The definitions with a changed line, types, macros, constants and variables, and which functions
 * are compiled from them: those whose text has the definition's name, that of a member on a changed
 * line, or that of another definition in the same file that is made from it.
 */
#ifndef GATE_CHANGED_DEFINITIONS_H
#define GATE_CHANGED_DEFINITIONS_H

#include "builds/commit_files.h"
#include "builds/source_definitions.h"

#define DEFINITION_WORDS 16

struct changed_definition {
	const char *path; /* in the repository; borrowed */
	uint32_t line;    /* the first that changed */
	size_t begin;     /* where it begins in its file */
	enum definition_kind kind;
	char *name; /* owned: "macro LIMIT", "struct node", "next (inlined)" */
	char *words[DEFINITION_WORDS];
	size_t nwords;
	size_t ndirect; /* of these, its own names and members: the first */
};

/* Owned; in the order of the difference. */
struct changed_definitions {
	struct changed_definition *all;
	size_t count;
	size_t nnamed; /* macros, constants and variables: users have their names */
	size_t capacity;
};

/* Borrowed. */
struct source_text {
	const char *bytes;
	size_t len;
};

/* Adds those of a file by its changed ranges, at least one; the text ends with a zero. */
void changed_definitions_add_file(struct changed_definitions *definitions,
	const struct changed_range *ranges, size_t nranges, const struct source_text *text);
/* Adds a function with a changed line that is inlined, if it is new; returns its number, from 1. */
uint32_t changed_definitions_add_function(struct changed_definitions *definitions, const char *path,
	const char *function, uint32_t line);
void changed_definitions_release(struct changed_definitions *definitions);

/*
 * Whether a function's text has the name of a changed macro, DEFINITION_MACRO, or constant or
 * variable, DEFINITION_VALUE; DEFINITION_NONE: of neither.
 */
enum definition_kind changed_definitions_named(
	const struct changed_definitions *definitions, const char *text, size_t len);

/*
 * The number, from 1, of the one with most of its names and members in a function's text, and of
 * those the first; 0: none. The only one is that of every function.
 */
uint32_t changed_definitions_used(
	const struct changed_definitions *definitions, const char *text, size_t len);

#endif
