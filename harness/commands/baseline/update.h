/* `baseline update`: measures workloads, and stores the runs as their baselines. */
#ifndef BASELINE_UPDATE_H
#define BASELINE_UPDATE_H

#include "base/buf.h"
#include "base/err.h"
#include "gate/gate_options.h"
#include "measurement/session.h"

#include <stdbool.h>

/*
 * Measures the workloads and writes the baseline of each. Where the stored baseline is of the same
 * program, workload and event, the new runs become its next session (the oldest is dropped beyond
 * ten); else, or with `replace`, they take its place. Waits up to options->wait_quiet_s for a quiet
 * machine, repeats runs that other load disturbs, and warns of runs that stay disturbed. Appends a
 * line for each workload to `text`. A workload that could not be measured well enough keeps its old
 * baseline; *exit_code is 2 then.
 */
int update_baselines(const struct gate_options *options, bool replace, int *exit_code,
	struct buf *text, struct err *err);

/*
 * Begins a session that changes the store of baselines: checks that the store can be written to,
 * and makes a folder for captures that are not kept, to be removed by file_dir_abandon().
 */
int update_begin(const struct gate_options *options, struct session *session, char **scratch,
	struct err *err);

#endif
