/*
 * Power: the detectable growth of each subject of a gate, as a function of the number of pairs.
 * Computed from pairs that were measured and judged once.
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
	size_t npairs; /* that it is estimated from */
	size_t ntests; /* of the whole gate, which share its error budget */
	double level;  /* of each: alpha over their number */
};

/* `judgement` was judged in paired mode, in one stage, and outlives `power`. */
void power_init(struct power *power, const struct judgement *judgement);
void power_release(struct power *power);

/* The growth of the subject that is detectable with `n` pairs. */
double power_detectable(const struct power *power, const struct power_subject *subject, size_t n);

/* The fewest pairs that make its threshold detectable; 0: more than `most`, or no threshold. */
size_t power_pairs_needed(
	const struct power *power, const struct power_subject *subject, size_t most);

#endif
