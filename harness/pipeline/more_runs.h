/*
 * How many runs a workload of a gate is to have next.
 */
#ifndef PIPELINE_MORE_RUNS_H
#define PIPELINE_MORE_RUNS_H

#include "gate/verdict.h"
#include "pipeline/measure.h"

/*
 * How many fresh runs confirm what would fail: as many as it was found with, and more, up to
 * max_runs, where the estimate is so near to what fails that chance would too often put the fresh
 * one below it. What was picked for being large is taken for a fifth less than it seems; two
 * standard errors are to lie between that and the threshold.
 */
unsigned more_runs_to_confirm(const struct measurement *m, const struct verdict *verdict);

/*
 * How many first runs there are to be, up to max_runs, to decide what is open; what there is if
 * that is enough, or if no such number is. No more than twice what there is at once: what is needed
 * is known better then.
 */
unsigned more_runs_to_decide(const struct measurement *m, const struct verdict *verdict);

#endif
