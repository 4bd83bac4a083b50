/*
 * How many runs a workload of a gate is to have next, and which workload gets them: until all is
 * decided, or there is no more time, or a workload has the most that it may have.
 */
#ifndef GATE_MORE_RUNS_H
#define GATE_MORE_RUNS_H

#include "compare/comparison.h"
#include "gate/verdict.h"

/* Fewer fresh runs confirm nothing. */
#define MORE_RUNS_LEAST_FRESH 3

/* The runs of a workload, a side, by stage. */
struct run_plan {
	unsigned wanted[COMPARISON_STAGES];
	unsigned taken[COMPARISON_STAGES];
	unsigned most; /* of a stage: max_runs */
};

/* Runs of one stage that a workload is to have beyond those of its plan. */
struct run_request {
	const struct finding *finding; /* that they are for; borrowed */
	size_t nfindings;              /* how many of the verdict's they are for */
	double share;                  /* of the program that the finding is about */
	unsigned runs;                 /* to be taken next */
	unsigned least;                /* fewer are of no use */
	double needed;                 /* as it seems, until it is decided: `runs` or more */
	/* The caller's. */
	size_t workload;
	double run_seconds;
};

/*
 * What a workload asks for by the runs taken. False where the stage needs no more, may have no
 * more, or did not get what it was to have: the missing ones were too poor, or there was no time
 * for them.
 *
 * COMPARISON_CONFIRM: as many fresh runs as what would fail was found with, and more where the
 * estimate is so near to what fails that chance would too often put the fresh one below it. What
 * was picked for being large is taken for a fifth less than it seems; two standard errors are to
 * lie between that and the threshold. Where these leave it open, all that there may be: that is one
 * further look and no more, so that looking again adds little to the error.
 *
 * COMPARISON_SCREEN: as many as the largest part of the program needs of those that can be decided.
 * No more than twice what there is at once: what is needed is known better then.
 *
 * What is undecided beside something that fails asks for nothing: the workload fails in any case.
 */
bool more_runs_request(const struct run_plan *plan, int stage, const struct verdict *verdict,
	struct run_request *request);

/*
 * Puts requests of one stage in the order of their share, the largest first, and grants as many
 * runs of each as `seconds` leave after all that those before it need; INFINITY: no limit. What
 * gets none has `runs` 0.
 */
void more_runs_grant(struct run_request *requests, size_t nrequests, double seconds);

#endif
