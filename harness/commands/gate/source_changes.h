/*
 * Which functions of the candidate have a changed line of source, by the difference of the working
 * tree from the commit of the side before.
 *
 * Debug information tells the file and the line of a function's declaration; where it ends, the
 * file itself (builds/source_scan.h). That of Go does not: functions of its changed files are
 * found by their names. Of functions within one another the innermost counts, as far as they have
 * samples.
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
 * Sets code->source of the comparison's functions, and code->definition where a type or a macro
 * changed and no line of theirs did, by the frames of the candidate's profile; those that it does
 * not have are unknown. Files are read once.
 */
void source_changes_find(struct source_changes *changes, const struct profile *candidate,
	const struct comparison *comparison, struct code_states *code);

/*
 * Sets code->definition of those functions into which one with a changed line is inlined, which
 * changed their code where their own lines are the same; and of that one.
 */
void source_changes_find_inlined(struct source_changes *changes, const struct inlined_calls *calls,
	const struct comparison *comparison, struct code_states *code);

/*
 * The type, macro or inlined function of a number of code->definition, "struct node" or "next
 * (inlined)", and its place in the repository; NULL: there is none. Borrowed.
 */
const char *source_changes_definition(
	const struct source_changes *changes, uint32_t number, const char **path, uint32_t *line);

/*
 * The path in the repository of the only file with changed lines that declares a function of Go;
 * NULL: there is none. Borrowed.
 */
const char *source_changes_declared(const struct source_changes *changes, const char *function);

#endif
