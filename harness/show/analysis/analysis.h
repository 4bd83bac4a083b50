/*
 * The text view of one profile, for `analyze` and for each workload's report.txt: header, symbol
 * quality, recommendations drawn from the data, and the hotspots, numbered, with self and total
 * share and their callees or callers below them.
 */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "analysis/focus.h"
#include "base/buf.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

struct analysis_options {
	size_t top;     /* functions shown; 0: up to 20 that have weight */
	bool colour;    /* ANSI colours */
	bool by_labels; /* the weight of each label that the profile was cut by */
	bool callers;   /* callers of each function, not its callees */
	size_t columns; /* of a line, 60 at least; 0: 100 */
	const struct analysis_focus *focus; /* what the profile was reduced to; NULL: nothing */
	const char *packages; /* where dpkg(1) lists the files of packages; NULL: not looked up */
};

void analysis_write(
	const struct profile *profile, const struct analysis_options *options, struct buf *out);

#endif
