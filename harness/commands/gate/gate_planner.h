/*
 * The data that the plans of all workloads of a gate share: the machine, the baselines, the
 * repository, and the commit at which HEAD left the default branch.
 */
#ifndef GATE_GATE_PLANNER_H
#define GATE_GATE_PLANNER_H

#include "base/arena.h"
#include "baseline/store.h"
#include "builds/build_side.h"
#include "builds/git.h"
#include "builds/repository.h"
#include "measurement/session.h"

#include <stdbool.h>

struct gate_planner {
	/* Set by the caller, borrowed. */
	const struct session *session;
	const struct baseline_list *stored;
	const char *branch;            /* whose settings apply; NULL: not known */
	const struct build_side *base; /* --against; NULL: a stored gate */
	bool measure_anyway;

	/* Looked up once. */
	bool has_repository;
	struct repository repository;
	char head[GIT_COMMIT_SIZE];       /* "": there is no commit */
	char merge_base[GIT_COMMIT_SIZE]; /* of HEAD and the default branch; "": none, or HEAD
					     itself */
	const char *default_branch;       /* "origin/main"; NULL: none was found */
	bool head_is_known;               /* `head_is_unchanged` was looked up */
	bool head_is_unchanged;           /* the working tree is HEAD, except for our own output */
	struct arena arena;               /* of these texts and of the plans */
};

/* Looks up the repository; the members ahead of `has_repository` are set. */
void gate_planner_init(struct gate_planner *planner);
void gate_planner_release(struct gate_planner *planner);
/* "profile_run gate NAME OPTIONS", for a shell; the planner's. */
const char *gate_command(struct gate_planner *planner, const char *name, const char *options);

#endif
