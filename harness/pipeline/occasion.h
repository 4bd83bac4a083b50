/*
 * This occasion: the machine, the commit and the moment, as reports and baselines record them.
 */
#ifndef PIPELINE_OCCASION_H
#define PIPELINE_OCCASION_H

#include "baseline/store.h"
#include "builds/git.h"
#include "machine/machine.h"
#include "pipeline/measurement.h"
#include "spec/workload.h"

#include <stdint.h>

#define OCCASION_BRANCH_MAX 256

struct occasion {
	const struct config
		*config; /* where baselines are, and what classes are called; borrowed */
	struct machine machine;
	char commit[GIT_COMMIT_SIZE];     /* HEAD of the repository we stand in, or GITHUB_SHA; ""
					     if neither is known */
	char branch[OCCASION_BRANCH_MAX]; /* that a pull request goes to, or is checked out */
	int64_t started;                  /* seconds since 1970 UTC */
};

void occasion_begin(struct occasion *occasion, const struct config *config);

/* The folder of the baseline that `m` is to be held against; free() it. */
char *occasion_baseline_folder(const struct occasion *occasion, const struct measurement *m);

/* What a baseline made of the candidate's runs says of itself. */
struct baseline_info occasion_info(const struct occasion *occasion, const struct measurement *m);

/*
 * How the stacks of the baseline of `m`, whose event has been chosen, were captured: "fp", "dwarf";
 * free() it. NULL if there is none, and where it cannot be read: that is told later.
 */
char *occasion_callgraph(const struct occasion *occasion, const struct measurement *m);

#endif
