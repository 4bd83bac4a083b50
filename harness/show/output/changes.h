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
 * Appends up to `top` functions that were tested or are not negligible, each with its verdict or,
 * if nothing was judged, the direction of its interval: first those with a finding above pass, the
 * severest first, then by their effect on the whole.
 */
void changes_write(const struct rows *rows, bool judged, size_t top, struct buf *out);

/*
 * Describes the reference of the comparison: the machine's speed then and now, and the spread used.
 */
void changes_write_reference(const struct comparison *comparison, struct buf *out);

/*
 * All that `diff` says of two profiles without a gate: the whole program, and up to `top` functions
 * (0: 20); in `colour`, its heading.
 */
void changes_write_diff(
	const struct comparison *comparison, size_t top, bool colour, struct buf *out);

#endif
