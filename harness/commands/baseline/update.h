/*
 * The verb `baseline` changes the store by these: measuring workloads to store the runs as their
 * baselines, and counting for those that are stored; and whether a commit may become one.
 */
#ifndef BASELINE_UPDATE_H
#define BASELINE_UPDATE_H

#include "base/buf.h"
#include "base/err.h"
#include "gate/gate_options.h"
#include "measurement/session.h"
#include "spec/workload.h"

#include <stdbool.h>

/*
 * Measures the workloads and writes each one's baseline. Where the stored one is of the same
 * program, workload and event the new runs become its next session (the oldest is dropped beyond
 * ten), else, or with `replace`, they take its place. It waits up to options->wait_quiet_s for a
 * quiet machine, repeats runs that other load disturbs, and warns of those that stay disturbed. A
 * line for each is appended to `text`. A workload that could not be measured well enough keeps its
 * old baseline; *exit_code is 2 then.
 */
int update_baselines(const struct gate_options *options, bool replace, int *exit_code,
	struct buf *text, struct err *err);

/*
 * Begins a session that changes the store, which is tried, and makes a folder for what is not kept,
 * which is to be abandoned.
 */
int update_begin(const struct gate_options *options, struct session *session, char **scratch,
	struct err *err);

/*
 * Adds counted instructions and, where it is missing, the machine code of functions to the stored
 * baselines of the workloads, of whatever class of machines. They are of the program that the
 * baseline ran: the build of the working tree, if that is the same by its hash or digest, else the
 * baseline's commit, built as for `--against`. Where no digest is stored, the build of its commit
 * is taken for it. Times stay as they are. A line for each is appended to `text`; *exit_code is 2
 * where one was not counted.
 */
int update_counts(
	const struct gate_options *options, int *exit_code, struct buf *text, struct err *err);

/*
 * Whether the checked out commit may become the baseline: it is on the main branch, and its gate
 * passed.
 */
struct promotion {
	const char *report;   /* the report folder of a gate of the checked out commit */
	const char *main_ref; /* NULL: origin/HEAD, or else origin/main or origin/master */
};

/*
 * -1, and why, unless all of this holds: the report is of a whole gate that passed or warned, of
 * all of `workloads`, and of the commit that is checked out; tracked files are as in that commit;
 * and the commit is on the main branch. The report is not authenticated: use one made by the same
 * job.
 */
int promotion_check(
	const struct promotion *promotion, const struct workload_list *workloads, struct err *err);

#endif
