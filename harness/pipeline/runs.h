/*
 * Between a workload, the capture of a run of it and the column read back from that.
 */
#ifndef PIPELINE_RUNS_H
#define PIPELINE_RUNS_H

#include "capture/backend.h"
#include "profile/profile.h"
#include "spec/workload.h"

/* The parts of a request that come from the workload: command, environment, timeout. */
void runs_fill_request(const struct workload *workload, struct capture_request *request);

/*
 * Gives a column read back from a capture what the capture itself counted: costs, times, losses.
 */
void runs_merge(struct run *column, const struct run *captured);

#endif
