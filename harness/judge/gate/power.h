/*
 * The power of a gate: the growth of each subject that is detectable with at most n pairs, computed
 * from pairs that were measured and judged at one look.
 *
 * The detectable growth is that at the last look (looks.h), with the part of alpha that the earlier
 * looks have not spent. A gate that may also end at the earlier looks detects as much or more.
 */
#ifndef GATE_POWER_H
#define GATE_POWER_H

#include "gate/judgement.h"

#include <stddef.h>

#define POWER_STEPS 5
/* Pairs at each step. */
extern const unsigned power_steps[POWER_STEPS];

struct power_subject {
	const struct finding *finding; /* borrowed: the subject and its threshold */
	double share; /* of the whole program; 1 for that itself, NAN of a counter */
	double q;     /* over-dispersion; NAN of the whole program */
	double detectable[POWER_STEPS];
};

struct power {
	struct power_subject
		*subjects; /* owned; the whole program first, then by share, counters last */
	size_t nsubjects;
	size_t npairs; /* measured pairs, from which the rest is computed */
	unsigned runs; /* pairs of the plan, which decide when the looks are */
	size_t ntests; /* tests that share the workload's part of alpha */
	double level;  /* of each test at a look that has all of that part: the part over ntests */
};

/*
 * For gates that plan so many runs. `judgement` was judged in paired mode, at one look, and
 * outlives `power`.
 */
void power_init(struct power *power, const struct judgement *judgement, unsigned runs);
void power_release(struct power *power);

/* The growth of the subject that is detectable with at most `n` pairs. */
double power_detectable(const struct power *power, const struct power_subject *subject, size_t n);

/*
 * The fewest pairs with which, and with any more up to `most`, its threshold is detectable; 0: more
 * than `most`, or no threshold.
 */
size_t power_pairs_needed(
	const struct power *power, const struct power_subject *subject, size_t most);

#endif
