/*
 * A session: one sitting of measuring, described by the machine, the commit and the time, as
 * reports and baselines record them.
 */
#ifndef MEASUREMENT_SESSION_H
#define MEASUREMENT_SESSION_H

#include "builds/git.h"
#include "machine/machine.h"
#include "measurement/measurement.h"
#include "spec/workload.h"

#include <stdint.h>

#define SESSION_BRANCH_MAX 256

struct session {
	/* The store of baselines, and the names of machine classes; borrowed. */
	const struct config *config;
	struct machine machine;
	char commit[GIT_COMMIT_SIZE];       /* HEAD of the current repository, or GITHUB_SHA; "" if
					       neither is known */
	char working_tree[8];               /* as in struct baseline_info; "": not looked at */
	char data_digest[SHA256_TEXT_SIZE]; /* likewise */
	char branch[SESSION_BRANCH_MAX]; /* target of a pull request, or the checked out branch */
	int64_t started;                 /* seconds since 1970 UTC */
};

/* Runs git. An error if the machine cannot be described. */
int session_begin(struct session *session, const struct config *config, struct err *err);

/*
 * Finds whether the working tree is that of the session's commit. *changed is a file that differs,
 * to free(); NULL: none does, or it is not known.
 */
void session_find_changes(struct session *session, char **changed);

/* The folder of the baseline that `m` is compared with; free() it. */
char *session_baseline_folder(const struct session *session, const struct measurement *m);

/* The description of a baseline made from the candidate's runs. */
struct baseline_info session_info(const struct session *session, const struct measurement *m);

/*
 * Fills in how the runs of the baseline of `m`, whose event has been chosen, were captured:
 * callgraph_before ("fp", "dwarf"; to be freed) and executions_before. Nothing if there is none or
 * it cannot be read: that error is reported later.
 */
void session_look_back(const struct session *session, struct measurement *m);

#endif
