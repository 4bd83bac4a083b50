/*
 * A run of a benchmark of a suite: its iterations, by which its costs are divided, and the part of
 * its profile that is the benchmark's and not the suite's own.
 */
#ifndef MEASUREMENT_SUITE_RUN_H
#define MEASUREMENT_SUITE_RUN_H

#include "base/err.h"
#include "capture/backend.h"
#include "measurement/measurement.h"
#include "profile/profile.h"
#include "spec/workload.h"

/* What a run prints, in memory; -1: it is not read. */
struct suite_output {
	const struct workload *workload; /* borrowed */
	int fd;
};

/* Before the run: prepares its request. Does nothing where the workload is no benchmark. */
int suite_output_begin(struct suite_output *output, const struct workload *workload,
	struct capture_request *request, struct err *err);
/*
 * After a successful run: its executions are the iterations from now on, and costs those of one. An
 * error if the benchmark reports none (then there are 0 executions), or that it failed.
 */
int suite_output_take(const struct suite_output *output, struct run *run, struct err *err);
void suite_output_end(struct suite_output *output);

/* Removes from each column what is not below the benchmark, and its part of the run's cost. */
void suite_cut(const struct workload *workload, struct profile *profile);

/*
 * After a warm-up of all sides, by time, with so many iterations: both run the smaller number from
 * now on, where the suite takes one.
 */
void suite_fix_iterations(struct measurement *m, const double iterations[MEASURE_SIDES]);

#endif
