/*
 * How many more runs decide an undecided finding ("needs about 24 more runs"), and how probable it
 * is that a number of them does.
 */
#ifndef GATE_EFFORT_H
#define GATE_EFFORT_H

#include "compare/effect.h"

#include <stdbool.h>

/* The runs of both sides that an effect was estimated from. */
struct effort_runs {
	double before;
	double after;
	bool adds_before; /* both sides can get more runs, not only the one after */
};

/*
 * More runs (per side) until a growth of `asked` is either found or excluded: the fewest of those
 * that make it detectable, and those after which an unchanged estimate has its whole one-sided
 * interval below `asked`, or is significant. INFINITY where no number is enough, because of the
 * spread between sessions or of a side that gets no more runs.
 *
 * The variance from the runs of a side that gets more is proportional to 1/n, the rest stays.
 */
double effort_more_runs(
	const struct effect *effect, double asked, double alpha, const struct effort_runs *runs);

/*
 * The probability that `most` pairs decide what `now` pairs, of which the effect is, leave
 * undecided: that they exclude growth of `asked` (one-sided, at alpha), or have an estimate above
 * it that is significant after Holm's correction. It is the predictive power of a trial's interim
 * analysis (Spiegelhalter, Freedman and Blackburn, "Monitoring clinical trials: conditional or
 * predictive power?", Controlled Clinical Trials 7, 1986), with a flat prior and normal
 * distributions: the final estimate is normal about the present one, with the variance of the
 * present less that of the final one.
 */
double effort_chance(
	const struct effect *effect, double asked, double alpha, double now, double most);

#endif
