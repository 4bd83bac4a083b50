/*
 * The names in a callgrind file: functions, source files and ELF files, each written whole once,
 * "(12) name", and then as "(12)".
 *
 * Where callers were separated (--separate-callers), the name of a function is that of its stack,
 * innermost first: "f'2'g'main", or the numbers of the functions, "(7)'2'(5)'(1)", where
 * --compress-mangled was given. The number without parentheses is a level of recursion.
 *
 * Source: Callgrind Format Specification, version 1, 3.1.5 and 3.2.3 (in Valgrind's manual); for
 * stacks, what --separate-callers writes.
 */
#ifndef INGEST_CALLGRIND_NAMES_H
#define INGEST_CALLGRIND_NAMES_H

#include "base/lines.h"
#include "base/strtab.h"
#include "base/text_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each has numbers of its own. */
enum callgrind_name_kind {
	CALLGRIND_FUNCTION,
	CALLGRIND_SOURCE,
	CALLGRIND_OBJECT,
	CALLGRIND_NAME_KINDS
};

struct callgrind_names {
	struct strtab texts;
	struct text_map numbered[CALLGRIND_NAME_KINDS]; /* "12" -> str_id of texts */
};

void callgrind_names_init(struct callgrind_names *names);
void callgrind_names_release(struct callgrind_names *names);

/*
 * What stands after "fn=" and its like: *id is that of the text in `texts`. False where a number
 * was given no name before.
 */
bool callgrind_names_take(struct callgrind_names *names, enum callgrind_name_kind kind,
	struct line value, str_id *id);

/* The frames of a stack, innermost first; zero it, and release with callgrind_stack_release(). */
struct callgrind_stack {
	str_id *frames; /* names in `texts` */
	size_t nframes;
	size_t capacity;
};

/* A stack of more frames than this is cut at its outer end. */
#define CALLGRIND_FRAMES_MAX 4096

void callgrind_stack_release(struct callgrind_stack *stack);

/*
 * The name of the innermost function, as far as the text alone tells: an apostrophe may also be
 * part of a name. To be asked for all functions before callgrind_names_stack() is.
 */
str_id callgrind_names_leaf(struct callgrind_names *names, str_id function);

/*
 * Splits a function's name into its stack. `is_leaf`, by str_id below `nleaves`, tells which texts
 * callgrind_names_leaf() has given: all that is on a stack also stands at the end of one, so that
 * where something else follows an apostrophe, it is part of the name.
 */
void callgrind_names_stack(struct callgrind_names *names, str_id function, const bool *is_leaf,
	size_t nleaves, struct callgrind_stack *stack);

#endif
