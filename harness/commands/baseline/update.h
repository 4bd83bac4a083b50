/*
 * Measuring workloads to store the runs as their baselines.
 */
#ifndef PIPELINE_UPDATE_H
#define PIPELINE_UPDATE_H

#include "base/buf.h"
#include "base/err.h"
#include "gate/gate_options.h"
#include "measurement/session.h"

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

#endif
