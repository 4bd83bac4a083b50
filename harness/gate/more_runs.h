/*
 * How many runs a workload of a gate is to have next: until all is decided, or it has the most that
 * it may have.
 */
#ifndef GATE_MORE_RUNS_H
#define GATE_MORE_RUNS_H

#include "compare/comparison.h"
#include "gate/verdict.h"

/* The runs of a workload, a side, by stage. */
struct run_plan {
	unsigned wanted[COMPARISON_STAGES];
	unsigned taken[COMPARISON_STAGES];
	unsigned most; /* of a stage: max_runs */
};

/*
 * Raises plan->wanted[stage] as the verdict by the runs taken asks for. False, and nothing changes,
 * where that stage needs no more, may have no more, or did not get what it was to have: the missing
 * ones were too poor, or there was no time for them.
 *
 * COMPARISON_CONFIRM: as many fresh runs as what would fail was found with, and more where the
 * estimate is so near to what fails that chance would too often put the fresh one below it. What
 * was picked for being large is taken for a fifth less than it seems; two standard errors are to
 * lie between that and the threshold. Where these leave it open, all that there may be: that is one
 * further look and no more, so that looking again adds little to the error.
 *
 * COMPARISON_SCREEN: what decides something that is open. No more than twice what there is at once:
 * what is needed is known better then.
 */
bool more_runs_wanted(struct run_plan *plan, int stage, const struct verdict *verdict);

#endif
