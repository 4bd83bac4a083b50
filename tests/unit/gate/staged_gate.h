/*
 * A gate of one workload, measured and judged by turns as pipeline/gate.c does it.
 */
#ifndef GATE_STAGED_GATE_H
#define GATE_STAGED_GATE_H

#include "gate/judge.h"
#include "gate/more_runs.h"

#include <math.h>

/* Adds `count` pairs to what is judged, or as many as there are; returns how many. */
typedef unsigned staged_draw(void *context, int stage, unsigned count);

static inline void
staged_take(struct run_plan *plan, staged_draw *draw, void *context)
{
	for (int stage = 0; stage < COMPARISON_STAGES; stage++) {
		unsigned missing = plan->wanted[stage] - plan->taken[stage];

		if (missing > 0)
			plan->taken[stage] += draw(context, stage, missing);
	}
}

/* Plans more runs, as many as are asked for: there is no limit of time. */
static inline bool
staged_plan(struct run_plan *plan, const struct verdict *verdict)
{
	struct run_request request;

	for (int stage = COMPARISON_CONFIRM; stage >= COMPARISON_SCREEN; stage--) {
		if (more_runs_request(plan, stage, verdict, &request)) {
			plan->wanted[stage] += request.runs;
			return true;
		}
	}
	return false;
}

/* Judges until all is decided, or no more can be done about it. */
static inline enum status
staged_gate(struct judgement *judgement, struct run_plan *plan, staged_draw *draw, void *context)
{
	const struct verdict *verdict = &judgement->verdict;
	enum status status;

	do {
		staged_take(plan, draw, context);
		judgement_release(judgement);
		if (plan->by_looks) {
			looks_add(&plan->looks, plan->taken[COMPARISON_SCREEN], INFINITY);
			judgement->input.looks = plan->looks;
		}
		judge_gate(&judgement, 1, &status);
	} while (staged_plan(plan, verdict));
	return status;
}

#endif
