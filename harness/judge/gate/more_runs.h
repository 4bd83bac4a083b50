/*
 * How many runs a workload of a gate gets next, and which workload gets them: until all is decided,
 * time is up, or a workload has its max_runs.
 */
#ifndef GATE_MORE_RUNS_H
#define GATE_MORE_RUNS_H

#include "compare/comparison.h"
#include "gate/looks.h"
#include "gate/verdict.h"
#include "spec/policy.h"

#include <stdbool.h>

/* Fewer new runs confirm nothing, but of counts that had fewer. */
#define MORE_RUNS_LEAST_FRESH 3

/* The runs of a workload, a side, by stage. */
struct run_plan {
	unsigned wanted[COMPARISON_STAGES];
	unsigned taken[COMPARISON_STAGES];
	unsigned most; /* of a stage: max_runs */
	bool by_looks; /* pairs, tested block by block: there is one stage */
	struct looks looks;
	bool resumed; /* pairs were stopped, and go on as others may still decide */
};

/*
 * From now on its pairs are tested block by block; before any run is taken. Where the policy has
 * the base checked against itself, the first look is not before there are runs enough for that.
 */
void run_plan_use_looks(struct run_plan *plan, const struct gate_policy *policy);

/* Whether more runs could change this verdict. */
bool run_plan_is_open(const struct run_plan *plan, const struct verdict *verdict);

/*
 * Ends the looks of a workload that is undecided, and that the pairs which there may still be would
 * not decide; true if this is new. Judged again, all that is undecided may be counted.
 */
bool run_plan_stop(struct run_plan *plan, const struct verdict *verdict);

/*
 * Goes on with pairs that were stopped, where counting has not decided it and further pairs still
 * may; true if this is new. It spends no more of alpha: stopping has taken no other part than that
 * of its look.
 */
bool run_plan_resume(struct run_plan *plan, const struct verdict *verdict);

/*
 * Where another look was due and all time is used up, the latest was the last; true if this is new.
 */
bool run_plan_end(struct run_plan *plan, const struct verdict *verdict);

/* Which workloads' instructions are counted. */
enum counting {
	COUNT_QUICK, /* those where it takes less time than the runs of the plan */
	COUNT_ALL,   /* those that get no more pairs */
};

/* Whether it is the turn of counting, which takes `seconds`, where a run takes `run_seconds`. */
bool run_plan_counts_next(const struct run_plan *plan, const struct verdict *verdict,
	enum counting which, double seconds, double run_seconds);

/*
 * Without a budget: for how long runs may be added to the planned ones, with which a gate can pass
 * and which took `planned_s`. Confirming pairs are added runs, too.
 */
double more_runs_seconds(double planned_s);

/* Runs of one stage that a workload is to have beyond those of its plan. */
struct run_request {
	const struct finding *finding; /* that they are for; borrowed */
	size_t nfindings;              /* how many of the verdict's they are for */
	double share;                  /* of the program that the finding is about */
	unsigned runs;                 /* to be taken next */
	unsigned least;                /* fewer are of no use */
	double needed;                 /* estimated until it is decided: `runs` or more */
	/* The caller's. */
	size_t workload;
	double run_seconds;
};

/*
 * The request of a workload after the runs taken. False where the stage needs no more, may have no
 * more, or did not get the wanted runs: they were too poor, or there was no time for them.
 *
 * COMPARISON_CONFIRM: as many new runs as the first stage had, and of an estimate from samples
 * more where it is so near the threshold that chance would too often put the fresh one below it:
 * the estimate, shrunk by 20 % (winner's curse), is to lie two standard errors above the threshold.
 * If these runs leave it undecided, all that max_runs allows: this is the only further test, so it
 * adds little to the error.
 *
 * COMPARISON_SCREEN: as many as the finding with the largest share needs, among those that can be
 * decided; but at most as many as there are, since the need is known better after that.
 *
 * With looks, COMPARISON_SCREEN: the block up to the next look, where a finding can be decided by
 * as many pairs as there may still be; after pairs were stopped, where they have a chance to.
 *
 * Undecided findings beside a failure request no runs: the workload fails in any case.
 */
bool more_runs_request(const struct run_plan *plan, int stage, const struct verdict *verdict,
	struct run_request *request);

/*
 * Puts requests of one stage in the order of their share, the largest first, and grants as many
 * runs of each as `seconds` leave after all that those before it need; INFINITY: no limit. A
 * request that gets none has `runs` 0.
 */
void more_runs_grant(struct run_request *requests, size_t nrequests, double seconds);

#endif
