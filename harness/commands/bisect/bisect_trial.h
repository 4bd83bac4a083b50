/*
 * One commit measured against another, each built in its own worktree, to tell whether a function
 * or the whole program costs more by some growth. It is a gate that makes a single test.
 */
#ifndef BISECT_BISECT_TRIAL_H
#define BISECT_BISECT_TRIAL_H

#include "base/err.h"
#include "builds/repository.h"
#include "compare/effect.h"
#include "history/bisect_search.h"
#include "spec/workload.h"

/* The data that all trials of a bisection share; borrowed. */
struct bisect_bench {
	const struct config *config;
	const struct workload *workload; /* of the working tree, not of the commits */
	const char *function;            /* pattern; NULL: the whole program */
	const struct repository *repository;
	const char *command; /* the command line, for the report */
};

struct bisect_trial {
	const char *base; /* full names of commits */
	const char *commit;
	double limit;         /* the growth from which `commit` is slow */
	const char *folder;   /* exists; captures go there, and the report if `reported` is set */
	const char *reported; /* what the folder will be called; NULL: no report is written */

	/* The result. */
	enum bisect_state state; /* of `commit` */
	struct effect effect;    /* not tested where nothing was measured */
	char *reason;            /* why it is skipped or undecided, or fast; may be NULL; owned */
	char *unknown;           /* why the function cannot be compared at all; else NULL; owned */
};

/*
 * Builds both commits and measures them. `commit` is skipped, without an error, if it cannot be
 * built or run. -1 for an interruption and for a system that cannot go on. To be released either
 * way.
 */
int bisect_trial_run(const struct bisect_bench *bench, struct bisect_trial *trial, struct err *err);
void bisect_trial_release(struct bisect_trial *trial);

#endif
