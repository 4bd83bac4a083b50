/*
 * Rehearsal: how often a gate gives a false alarm on runs that are all of one build.
 *
 * Measured pairs are resampled: random pairs are chosen and their sides swapped at random, so that
 * the sides differ by chance alone; then they are measured and judged as the gate would
 * (struct simulated_gate): at the same looks, until it is decided. Any alarm is then a false one.
 */
#ifndef GATE_REHEARSAL_H
#define GATE_REHEARSAL_H

#include "gate/judgement.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rehearsal_workload {
	/*
	 * As it is set up for judge_gate(), in paired mode and with both sides of one build;
	 * borrowed.
	 */
	const struct judgement *judgement;
	unsigned runs; /* of a gate's plan */
	unsigned max_runs;
};

struct rehearsal_options {
	size_t ngates;
	uint64_t seed;     /* the same seed gives the same gates */
	bool default_time; /* there is no budget: pairs are added for as long as by default */
};

/* Number of gates by status, that of their severest finding about a growth. */
struct rehearsal_tally {
	size_t ngates; /* 0: there are too few pairs for a first look */
	size_t npairs; /* that all of these took */
	size_t with[STATUS_SKIPPED + 1];
};

struct rehearsal {
	struct rehearsal_tally whole;      /* of all workloads together */
	struct rehearsal_tally *workloads; /* owned; by workload */
	unsigned first;                    /* pairs of the first look, where the most are needed */
};

/*
 * Fills in `rehearsal`. No gate takes more pairs of a workload than were measured: that is then its
 * last look. None is simulated where some workload has too few for its first one.
 */
void rehearsal_run(struct rehearsal *rehearsal, const struct rehearsal_workload *workloads,
	size_t nworkloads, const struct rehearsal_options *options);
void rehearsal_release(struct rehearsal *rehearsal);

#endif
