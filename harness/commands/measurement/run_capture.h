/*
 * The capture of one run, wherever a command captures one: its request from a workload, its
 * sampling period, and how what was captured is read into a column.
 */
#ifndef MEASUREMENT_RUN_CAPTURE_H
#define MEASUREMENT_RUN_CAPTURE_H

#include "capture/backend.h"
#include "ingest/ingest.h"
#include "profile/profile.h"
#include "spec/workload.h"

#include <stdint.h>

/* Sets what a request takes from the workload: command, environment, files, timeout, service. */
void run_capture_fill_request(const struct workload *workload, struct capture_request *request);
/*
 * The sampling period for samples at this frequency of an event that occurs `rate_hz` times a
 * second of CPU time: at least 1, every occurrence of a rare one. With 0 the kernel would vary it.
 */
uint64_t run_capture_period(double rate_hz, double frequency_hz);

/*
 * Selects the threads whose samples are read, for a metric of times: those of `thread`
 * (spec/policy.h). "auto" is "main" for wall, which is then the time from the program's start to
 * its end, and else "all".
 */
void run_capture_select_threads(
	const char *thread, const char *metric, struct ingest_options *options);
/*
 * Takes a run. A program that is pinned runs ahead of other processes meanwhile, where that is
 * permitted (process/priority.h), and so does this process, which reads its samples. One that is
 * not could take all CPUs.
 */
int run_capture_take(const struct capture_backend *backend, const struct capture_request *request,
	struct capture_result *result, struct err *err);
/* Has stacks begin with the phase and the thread, for captures that record phases. */
void run_capture_label_phases(struct ingest_options *options);
/* Adds the capture's own counts to the column that was read from it: costs, times, losses. */
void run_capture_merge_counts(struct run *column, const struct run *captured);

#endif
