/*
 * Which functions of the candidate changed in their source, by the difference of the working tree
 * from the commit of the side before: by their own lines, or by a definition or an inlined
 * function that they use.
 *
 * Debug information has the file and the line of a function's declaration; the file itself shows
 * where the function ends (builds/source_scan.h). Debug information of Go has no such line:
 * functions of changed files are found by their names. A changed line belongs to the innermost
 * function around it that has samples.
 */
#ifndef GATE_SOURCE_CHANGES_H
#define GATE_SOURCE_CHANGES_H

#include "compare/causes.h"
#include "compare/comparison.h"
#include "gate/inlined_calls.h"

struct source_changes;

/*
 * For the difference from `base` to the working tree, where `head` is checked out. NULL where git
 * does not have these commits or finds no difference; free it.
 */
struct source_changes *source_changes_new(const char *base, const char *head);
void source_changes_free(struct source_changes *changes);

/*
 * Sets code->source of the comparison's functions, by the frames of the candidate's profile, and
 * code->definition of functions without a changed line that use a changed type or macro. Functions
 * that the candidate's profile does not have are unknown. Files are read once.
 */
void source_changes_find(struct source_changes *changes, const struct profile *candidate,
	const struct comparison *comparison, struct code_states *code);

/*
 * Sets code->definition of functions whose code changed although their own lines did not, because a
 * function with a changed line is inlined into them; and of that function.
 */
void source_changes_find_inlined(struct source_changes *changes, const struct inlined_calls *calls,
	const struct comparison *comparison, struct code_states *code);

/* The lines of a function, in a file with changed lines. */
struct source_extent {
	const char *path; /* in the repository; borrowed from the changes */
	uint32_t first;
	uint32_t last;
	frame_id frame; /* of the candidate's profile */
};

/* The functions of a profile; free() `all`. */
struct source_extents {
	struct source_extent *all;
	size_t count;
	size_t capacity;
};

/* Finds the functions of the candidate in files with changed lines. */
void source_changes_extents(struct source_changes *changes, const struct profile *candidate,
	struct source_extents *extents);

/*
 * The type, macro or inlined function of a number of code->definition, "struct node" or "next
 * (inlined)", and its place in the repository; NULL: there is none. Borrowed.
 */
const char *source_changes_definition(
	const struct source_changes *changes, uint32_t number, const char **path, uint32_t *line);
/* The number of the type or macro with most of its names in a text; 0: none, or several alike. */
uint32_t source_changes_definition_in(const struct source_changes *changes, const char *text);

/*
 * The path in the repository of the only file with changed lines that declares a function of Go;
 * NULL: there is none. Borrowed.
 */
const char *source_changes_declared(const struct source_changes *changes, const char *function);

#endif
