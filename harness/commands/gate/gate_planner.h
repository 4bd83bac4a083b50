/*
 * The data that the plans of all workloads of a gate share: the machine, the baselines, the
 * repository and the commit that HEAD began from.
 */
#ifndef PIPELINE_GATE_PLANNER_H
#define PIPELINE_GATE_PLANNER_H

#include "base/arena.h"
#include "baseline/store.h"
#include "builds/build_side.h"
#include "builds/git.h"
#include "builds/repository.h"
#include "measurement/session.h"

#include <stdbool.h>

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

#endif
