/*
 * Rehearsal: how often a gate gives a false alarm on runs that are all of one build.
 *
 * Measured pairs are resampled: random pairs are chosen and their sides swapped at random, so that
 * the sides differ by chance alone; then they are judged as the gate would. Any alarm is then a
 * false one.
 */
#ifndef GATE_REHEARSAL_H
#define GATE_REHEARSAL_H

#include "gate/judgement.h"

#include <stddef.h>
#include <stdint.h>

struct rehearsal_workload {
	/*
	 * As it is set up for judge_gate(), in paired mode and with both sides of one build;
	 * borrowed.
	 */
	const struct judgement *judgement;
	size_t gate_pairs; /* of a gate's first stage, and again of its second */
};

struct rehearsal_options {
	size_t ngates;
	uint64_t seed; /* the same seed gives the same gates */
};

enum rehearsal_kind {
	REHEARSAL_ONE_STAGE,
	REHEARSAL_TWO_STAGES, /* what would fail is judged again, by pairs of its own */
	REHEARSAL_KINDS,
};

/* Number of gates by status, that of their severest finding about a growth. */
struct rehearsal_tally {
	size_t ngates; /* 0: there are too few pairs for that */
	size_t with[STATUS_SKIPPED + 1];
};

struct rehearsal {
	struct rehearsal_tally whole[REHEARSAL_KINDS];        /* of all workloads together */
	struct rehearsal_tally (*workloads)[REHEARSAL_KINDS]; /* owned; by workload */
};

/*
 * Fills in `rehearsal`. A kind that needs more pairs than some workload has is left out for all. A
 * gate that would add runs where it is undecided counts as it is without them.
 */
void rehearsal_run(struct rehearsal *rehearsal, const struct rehearsal_workload *workloads,
	size_t nworkloads, const struct rehearsal_options *options);
void rehearsal_release(struct rehearsal *rehearsal);

#endif
