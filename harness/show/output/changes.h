/*
 * The changes between two sets of runs, as a table of text: one line per function or finding.
 */
#ifndef OUTPUT_CHANGES_H
#define OUTPUT_CHANGES_H

#include "base/buf.h"
#include "compare/comparison.h"
#include "output/rows.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Appends up to `top` functions of a comparison that were tested or are not negligible, each with
 * its verdict: first those with a finding above pass, the severest first, then by their effect on
 * the whole. Then the reference of the comparison: the machine's speed then and now, and the spread
 * used.
 */
void changes_write(const struct rows *rows, size_t top, struct buf *out);

/*
 * All that `diff` says of two profiles without a gate: the whole program, and up to `top` functions
 * (0: 20); in `colour`, its heading.
 */
void changes_write_diff(
	const struct comparison *comparison, size_t top, bool colour, struct buf *out);

#endif
