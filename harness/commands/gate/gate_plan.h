/*
 * The plan of each workload of a gate: how it is judged on this machine, and about how long that
 * takes, before anything is measured. It is the first of these that is possible: nothing is
 * measured, because the program is the baseline's; by a baseline of this class of machines; by a
 * build of another baseline's commit, or of the merge base with the default branch (plan_base.h);
 * by stored counts; else the workload is not judged.
 */
#ifndef GATE_GATE_PLAN_H
#define GATE_GATE_PLAN_H

#include "gate/gate_planner.h"
#include "gate/gate_workload.h"

#include <stdbool.h>

/*
 * Plans a workload whose event is chosen and that is not built yet. Reads its baseline; one that
 * cannot be read is an error of the workload. Leaves a workload out of measuring that is not
 * judged.
 */
int gate_plan_make(struct gate_planner *planner, struct gate_workload *w, struct err *err);

/* Whether it may become PLAN_SAME once it is built. */
bool gate_plan_may_be_same(const struct gate_planner *planner, const struct gate_workload *w);

/*
 * Once it is built: makes it PLAN_SAME, so that nothing is measured, if it is the baseline's
 * program.
 */
void gate_plan_find_same(struct gate_planner *planner, struct gate_workload *w);

#endif
