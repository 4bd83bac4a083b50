/*
 * The plan of a gate: how each workload is judged on this machine, and about how long that takes,
 * before anything is measured. By the first of these that holds: what runs is what the baseline
 * ran; a baseline of this class of machines; the commit of another baseline, or the merge base with
 * the default branch, can be built here; stored counts; else it is not judged.
 */
#ifndef PIPELINE_GATE_PLAN_H
#define PIPELINE_GATE_PLAN_H

#include "gate/gate_planner.h"
#include "gate/gate_workload.h"

#include <stdbool.h>

/*
 * Plans a workload whose event is chosen and that is not built yet; reads its baseline, whose
 * errors are the workload's. One that is not to be measured is left out of measuring.
 */
int gate_plan_make(struct gate_planner *planner, struct gate_workload *w, struct err *err);

/* Whether it may become PLAN_SAME once it is built. */
bool gate_plan_may_be_same(const struct gate_planner *planner, const struct gate_workload *w);

/*
 * Once it is built: it is PLAN_SAME, and nothing is measured, if what runs is what the baseline
 * ran.
 */
void gate_plan_find_same(struct gate_planner *planner, struct gate_workload *w);

#endif
