/*
 * The commit that a stored gate builds and measures in pairs with, where no stored time of this
 * class of machines can judge.
 */
#ifndef PIPELINE_PLAN_BASE_H
#define PIPELINE_PLAN_BASE_H

#include "gate/gate_planner.h"
#include "gate/gate_workload.h"

struct plan_base {
	char commit[GIT_COMMIT_SIZE]; /* "": there is none */
	const char *text;             /* what is compared with, or why nothing is: the planner's */
	const char *machine_class;    /* of the baseline; the planner's; NULL: there is none */
	const char *remedy;           /* a command that would help; NULL: none is known */
	bool judges_changes;      /* the remedy judges uncommitted changes: it is the first one */
	bool has_baseline;        /* there is one, of whatever class ... */
	struct baseline baseline; /* ... the latest */
};

void plan_base_init(struct plan_base *base);
void plan_base_release(struct plan_base *base);

/*
 * Why the commit of a baseline cannot be built to compare a workload with: the planner's, no
 * sentence ("its commit 2eac919b967b is not in this clone"). NULL: it can.
 */
const char *plan_base_refuse(struct gate_planner *planner, const struct baseline_info *info,
	const struct workload *workload);

/* The command that fetches the commit of a baseline; the planner's. NULL: it is here, or none can.
 */
const char *plan_base_fetch(struct gate_planner *planner, const struct baseline_info *info);

/*
 * Finds the base of a workload: the commit of its latest baseline, of whatever class of machines,
 * that can be built, else the merge base with the default branch. `why` its baseline of this class
 * is of no use; NULL: there is none.
 */
void plan_base_find(struct gate_planner *planner, const struct gate_workload *w, const char *why,
	struct plan_base *base);

#endif
