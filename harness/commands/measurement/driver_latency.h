/*
 * The latencies of a run's operations and their number, as its driver reports them in a file or on
 * standard output (the key `latency` of a workload). Around one run of one execution.
 */
#ifndef MEASUREMENT_DRIVER_LATENCY_H
#define MEASUREMENT_DRIVER_LATENCY_H

#include "base/err.h"
#include "capture/backend.h"
#include "profile/profile.h"
#include "spec/workload.h"

#include <time.h>

struct driver_latency {
	const struct workload *workload; /* borrowed */
	int fd;                          /* takes the standard output; -1: not wanted */
	struct timespec start;           /* of the run, by the clock of files */
};

/* Before the run: prepares its request. Does nothing where the workload has no `latency`. */
int driver_latency_begin(struct driver_latency *driver, const struct workload *workload,
	struct capture_request *request, struct err *err);
/*
 * After a successful run: reads what it reported into its counters. Of a run that counted rather
 * than sampled only the number of operations is taken: counting slows them down.
 */
int driver_latency_take(const struct driver_latency *driver, const struct capture_request *request,
	struct run *run, struct err *err);
void driver_latency_end(struct driver_latency *driver);

#endif
