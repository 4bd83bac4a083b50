/*
 * The text view of one profile, for `analyze` and for each workload's report.txt: header, symbol
 * quality, top functions with self and total share and their callees below them.
 */
#ifndef OUTPUT_ANALYSIS_H
#define OUTPUT_ANALYSIS_H

#include "base/buf.h"
#include "compare/comparison.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

struct analysis_options {
	size_t top;  /* functions shown; 0: up to 20, those of next to no weight not */
	bool colour; /* ANSI colours */
};

void analysis_write(
	const struct profile *profile, const struct analysis_options *options, struct buf *out);

/* The same in short for a comparison without a gate (`diff` and `compare`): what changed. */
void analysis_write_diff(const struct comparison *comparison,
	const struct analysis_options *options, struct buf *out);

#endif
