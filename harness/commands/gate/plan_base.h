/*
 * The base of a workload that has no usable baseline of this class of machines: the commit that is
 * built here to compare it with.
 */
#ifndef GATE_PLAN_BASE_H
#define GATE_PLAN_BASE_H

#include "builds/build_side.h"
#include "builds/git.h"
#include "builds/repository.h"
#include "gate/gate_planner.h"
#include "gate/gate_workload.h"

#include <stdbool.h>
#include <stddef.h>

struct plan_base {
	char commit[GIT_COMMIT_SIZE]; /* "": there is none */
	const char *text;             /* what is compared with, or why nothing is; the planner's */
	const char *machine_class; /* of the baseline; the planner's; NULL: there is no baseline */
	const char *remedy;        /* a command that would help; NULL: none is known */
	bool judges_changes;       /* `remedy` judges uncommitted changes: it is the first choice */
	bool has_baseline;         /* there is a baseline, of whatever class ... */
	struct baseline baseline;  /* ... and this is the latest */
};

void plan_base_init(struct plan_base *base);
void plan_base_release(struct plan_base *base);
/*
 * Finds the base of a workload: the commit of its latest baseline, of whatever class of machines,
 * that can be built, else the merge base with the default branch. `why`: why its baseline of this
 * class is of no use; NULL: there is none.
 */
void plan_base_find(struct gate_planner *planner, const struct gate_workload *w, const char *why,
	struct plan_base *base);

/*
 * Why the commit of a baseline cannot be built to compare a workload with: the planner's, no whole
 * sentence ("its commit 2eac919b967b is not in this clone"). NULL: it can.
 */
const char *plan_base_refuse(struct gate_planner *planner, const struct baseline_info *info,
	const struct workload *workload);
/*
 * The command that fetches the commit of a baseline; the planner's. NULL: the commit is here, or
 * cannot be fetched.
 */
const char *plan_base_fetch(struct gate_planner *planner, const struct baseline_info *info);

/* The builds of these commits, each opened once. */
struct gate_bases {
	bool anew;                 /* kept builds are not used */
	struct build_side **sides; /* owned */
	size_t nsides;
	size_t capacity;
};

void gate_bases_release(struct gate_bases *bases);
/* The build of a commit by its full name, until the release; NULL on an error. */
const struct build_side *gate_bases_open(struct gate_bases *bases,
	const struct repository *repository, const char *commit, struct err *err);

#endif
