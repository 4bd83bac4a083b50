/*
 * The operations of a run: how many there were and how long they took, as its driver reports (the
 * key `latency` of a workload).
 */
#ifndef PIPELINE_OPERATIONS_H
#define PIPELINE_OPERATIONS_H

#include "base/err.h"
#include "capture/backend.h"
#include "spec/workload.h"

#include <time.h>

/* Around one run of one execution. */
struct operations {
	const struct workload *workload; /* borrowed */
	int fd;                          /* takes the standard output; -1: not wanted */
	struct timespec start;           /* of the run, by the clock of files */
};

/* Prepares the request. Nothing where the workload has no `latency`. */
int operations_begin(struct operations *operations, const struct workload *workload,
	struct capture_request *request, struct err *err);
/*
 * Reads what a successful run reported into its counters. Of a run that counted rather than sampled
 * only the number of operations: counting slows them down.
 */
int operations_take(const struct operations *operations, const struct capture_request *request,
	struct run *run, struct err *err);
void operations_end(struct operations *operations);

#endif
