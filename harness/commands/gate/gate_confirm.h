/*
 * The second stage of a stored gate: a workload that its stored baseline flags, or cannot decide,
 * is measured in pairs with a build of the baseline's commit, and these pairs decide. Where the
 * commit cannot be built, stored counts or more runs of the candidate decide, and the report says
 * why.
 */
#ifndef GATE_GATE_CONFIRM_H
#define GATE_GATE_CONFIRM_H

#include "gate/gate_prepare.h"
#include "measurement/rounds.h"

struct gate_confirm {
	struct measurement *measurements; /* of pairs, by workload; NULL: none was begun */
	size_t n;
	struct rounds *rounds; /* of the pairs; NULL: none are taken */
};

/* Ends the rounds of pairs; to be called before those of the first stage are ended. */
void gate_confirm_end(struct gate_confirm *confirm);
void gate_confirm_release(struct gate_confirm *confirm);

/*
 * Once the first stage is judged: lets workloads be decided by counts that are stored beside their
 * baseline, where counting takes less time than the first pairs would. Not where most code of the
 * program differs: another compiler may have made it, which is no change of the program.
 */
void gate_confirm_offer_counts(struct gate_preparation *preparation);

/*
 * Once the first stage is judged: builds the bases of flagged workloads. From then on the
 * measurements of these workloads are pairs, of which none is taken yet. `options` are those of the
 * first stage. -1 for an interruption and for a system that cannot go on.
 */
int gate_confirm_begin(struct gate_confirm *confirm, struct gate_preparation *preparation,
	const struct measure_options *options, struct err *err);

/* Takes an interrupted workload, of which too few pairs were taken, back to the first stage. */
void gate_confirm_undo(struct gate_workload *w, unsigned least_pairs);

#endif
