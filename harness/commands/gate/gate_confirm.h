/*
 * The second stage of a stored gate: workloads that the stored baseline flags, or cannot decide,
 * are measured interleaved with a build of its commit, and these pairs decide in its place. Where
 * the commit cannot be had, more runs of the candidate alone are all there is, and the report says
 * what was missing.
 */
#ifndef GATE_GATE_CONFIRM_H
#define GATE_GATE_CONFIRM_H

#include "gate/gate_prepare.h"

struct gate_confirm {
	struct measurement *measurements; /* of pairs, by workload; NULL: none was begun */
	size_t n;
	struct measure_session *session; /* NULL: no pairs are taken */
};

/* Ends the session, before that of the first stage. */
void gate_confirm_end(struct gate_confirm *confirm);
void gate_confirm_release(struct gate_confirm *confirm);

/*
 * Once the first stage is judged: offers the counts that are stored with a baseline of its commit
 * where these are had in less time than the first pairs. Not where most code of the program
 * differs: another compiler may have made it, which is no change of the program.
 */
void gate_confirm_offer_counts(struct gate_preparation *preparation);

/*
 * Once the first stage is judged: builds what is to be confirmed, and from then on the pairs are
 * these workloads' measurements, all still to be taken. `options` are those of the first stage.
 * -1 for an interruption and for a system that cannot go on.
 */
int gate_confirm_begin(struct gate_confirm *confirm, struct gate_preparation *preparation,
	const struct measure_options *options, struct err *err);

/* Takes an interrupted workload, of which too few pairs were taken, back to the first stage. */
void gate_confirm_undo(struct gate_workload *w, unsigned least_pairs);

#endif
