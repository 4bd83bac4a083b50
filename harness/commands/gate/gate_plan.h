/*
 * The plan of a gate: how each workload is judged on this machine, and about how long that takes,
 * before anything is measured. By the first of these that holds: what runs is what the baseline
 * ran; a baseline of this class of machines; the commit of another baseline, or the merge base with
 * the default branch, can be built here; stored counts; else it is not judged.
 */
#ifndef GATE_GATE_PLAN_H
#define GATE_GATE_PLAN_H

#include "base/arena.h"
#include "baseline/store.h"
#include "builds/build_side.h"
#include "builds/repository.h"
#include "gate/gate_workload.h"
#include "measurement/session.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The data that the plans of all workloads of a gate share: the machine, the baselines, the
 * repository and the commit that HEAD began from.
 */
struct gate_planner {
	const struct session *session; /* borrowed, as is all of this group */
	const struct baseline_list *stored;
	const char *branch;            /* whose settings apply; NULL: not known */
	const struct build_side *base; /* --against; NULL: a stored gate */
	bool measure_anyway;
	/* Looked up once. */
	bool has_repository;
	struct repository repository;
	char head[GIT_COMMIT_SIZE];       /* "": there is none */
	char merge_base[GIT_COMMIT_SIZE]; /* with the default branch, if that is not HEAD; "" */
	const char *default_branch;       /* that it is of: "origin/main"; NULL: none was found */
	bool head_is_known; /* whether the working tree is HEAD, but for our own output */
	bool head_is_unchanged;
	struct arena arena; /* of the plans, too */
};

/* Looks up the repository; `session` to `measure_anyway` are set. */
void gate_planner_init(struct gate_planner *planner);
void gate_planner_release(struct gate_planner *planner);

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

/* The builds that a gate compares with: one for each commit, opened once. */
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

/*
 * Why the commit of a baseline cannot be built to compare a workload with: the planner's, no
 * sentence ("its commit 2eac919b967b is not in this clone"). NULL: it can.
 */
const char *plan_base_refuse(struct gate_planner *planner, const struct baseline_info *info,
	const struct workload *workload);

/* The command that fetches the commit of a baseline; the planner's. NULL: it is here, or none can.
 */
const char *plan_base_fetch(struct gate_planner *planner, const struct baseline_info *info);

#endif
