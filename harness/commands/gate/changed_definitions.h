/*
 * The types and macros with a changed line, and which functions are compiled from them: those whose
 * text has the macro's or the type's name, or that of a member on a changed line.
 */
#ifndef PIPELINE_CHANGED_DEFINITIONS_H
#define PIPELINE_CHANGED_DEFINITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEFINITION_WORDS 16

struct changed_definition {
	const char *path; /* in the repository; borrowed */
	uint32_t line;    /* the first that changed */
	char *name;       /* owned: "macro LIMIT", "struct node", "next (inlined)" */
	char *words[DEFINITION_WORDS];
	size_t nwords;
};

/* Owned; in the order of the difference. */
struct changed_definitions {
	struct changed_definition *all;
	size_t count;
	size_t nmacros;
	size_t capacity;
};

/* Adds the type or macro that a changed line of a file is in, if it is; several lines are one. */
void changed_definitions_add(struct changed_definitions *definitions, const char *path,
	const char *text, size_t len, uint32_t line);
/* Adds a function with a changed line that is inlined, if it is new; returns its number, from 1. */
uint32_t changed_definitions_add_function(struct changed_definitions *definitions, const char *path,
	const char *function, uint32_t line);
void changed_definitions_release(struct changed_definitions *definitions);

/* Whether a function's text has the name of a changed macro. */
bool changed_definitions_use_macro(
	const struct changed_definitions *definitions, const char *text, size_t len);

/*
 * The number, from 1, of the one with most of its words in a function's text, and of those the
 * first; 0: none. The only one is that of every function.
 */
uint32_t changed_definitions_used(
	const struct changed_definitions *definitions, const char *text, size_t len);

#endif
