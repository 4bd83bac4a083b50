/* `profile_run compare`: judges profiles that were captured elsewhere, one run per file. */
#ifndef COMMANDS_JUDGE_FILES_H
#define COMMANDS_JUDGE_FILES_H

#include "base/buf.h"
#include "base/err.h"
#include "measurement/session.h"
#include "profile/profile.h"
#include "spec/workload.h"

#include <stdbool.h>

struct judge_files_options {
	const struct session *session;
	const struct workload *workload; /* whose policy applies; NULL: the configuration's */
	const char *name;       /* in the report, where there is no workload; NULL: "compare" */
	const char *command;    /* the command line, for the report */
	const char *branch;     /* whose settings apply; NULL: detected */
	const char *report_dir; /* gets the report, whole or not at all; NULL: there is none */
	/*
	 * The runs of both sides were interleaved, run i beside run i: plain costs are compared
	 * pair by pair. Both sides then have equally many runs.
	 */
	bool paired;
	/* Both sides are of one machine and session: no spread between sessions is added. */
	bool same_session;
};

/*
 * Judges the runs of `after` against those of `before`. *exit_code is 0, 1, 2 or 3; the text of the
 * verdict is appended to `text`. Runs are numbered if they are paired.
 */
int judge_files(const struct judge_files_options *options, struct profile *before,
	struct profile *after, int *exit_code, struct buf *text, struct err *err);

#endif
