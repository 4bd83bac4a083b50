/*
 * How many more runs would decide a finding: "about 24 more runs".
 */
#ifndef GATE_EFFORT_H
#define GATE_EFFORT_H

#include "compare/effect.h"

#include <stdbool.h>

struct effort_runs {
	double before; /* that the effect was estimated from */
	double after;
	bool adds_before; /* more can be taken of both sides */
};

/*
 * More runs (a side) until a growth of `asked` is either seen or excluded: the fewest of those that
 * make it detectable, and those after which an estimate that stays as it is has the whole of its
 * one-sided interval below `asked`, or is significant. INFINITY where the spread between sessions,
 * or the runs of the other side, leave no number of them enough.
 *
 * The variance of the runs goes with 1/n on the side that gets more, the rest of it stays.
 */
double effort_more_runs(
	const struct effect *effect, double asked, double alpha, const struct effort_runs *runs);

#endif
