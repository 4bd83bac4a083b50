/*
 * The words for why a function costs more (compare/causes.h), the same in every output. The texts
 * are plain, one line each: names in them are fitted, and not yet escaped for a format.
 */
#ifndef OUTPUT_CAUSE_TEXT_H
#define OUTPUT_CAUSE_TEXT_H

#include "base/arena.h"
#include "compare/causes.h"

#include <stdbool.h>
#include <stddef.h>

/* Moved, code, input, variant, work, unreachable, other stacks, callers and callees; and stacks. */
#define CAUSE_LINES_MAX (9 + CAUSES_STACKS)
/* The longest of the labels has this many letters. */
#define CAUSE_LABEL_COLUMNS 12

struct cause_line {
	const char *label; /* "moved", "layout", "code", "input", "variant", "work", "unreachable",
			      "carried by", "by caller", "calls" */
	const char *text;
	bool brief; /* shown even where there is little room */
};

struct cause_lines {
	struct arena arena; /* owns the texts */
	struct cause_line lines[CAUSE_LINES_MAX];
	size_t nlines;
};

/*
 * The lines for the causes found for `frame`; `causes` may be NULL: then there are none. No name
 * and no stack is wider than `columns` (40 at least).
 */
void cause_lines_init(struct cause_lines *lines, const struct comparison *comparison,
	frame_id frame, const struct causes *causes, size_t columns);
void cause_lines_release(struct cause_lines *lines);

#endif
