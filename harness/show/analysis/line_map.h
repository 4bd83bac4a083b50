/*
 * Where each line of a source file is after a change of the file.
 */
#ifndef ANALYSIS_LINE_MAP_H
#define ANALYSIS_LINE_MAP_H

#include "analysis/source_text.h"
#include "base/allowance.h"

#include <stddef.h>
#include <stdint.h>

/* Lines counted from 1, both included; zeros: the line is gone. */
struct line_range {
	uint32_t first;
	uint32_t last;
};

/* All zeros knows no line. */
struct line_map {
	struct line_range *ranges; /* by line, from 1 on; owned */
	size_t count;
};

/*
 * Compares two versions of a file. Lines that are the same, white space aside, in a longest common
 * subsequence are one line, and so is one that moved. A changed line is where most of its words and
 * operators are: one line, or several where it was split. Where nothing of it is left it is all
 * that stands in its place. `split` has a line on each side, 0 for none, such as that of a
 * function's declaration: lines from there on are compared with one another, so that a function may
 * have moved. `cells` as in lcs_pair().
 */
void line_map_init(struct line_map *map, const struct source_text *before,
	const struct source_text *after, const uint32_t split[2], struct allowance *cells);
void line_map_release(struct line_map *map);

/* Lines that the map does not know stay where they are. */
struct line_range line_map_find(const struct line_map *map, uint32_t line);

#endif
