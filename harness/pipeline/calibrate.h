/*
 * Calibration: a build measured against itself, which tells what a gate of this workload can do on
 * this machine, how often it would be wrong there, and which settings fit.
 */
#ifndef PIPELINE_CALIBRATE_H
#define PIPELINE_CALIBRATE_H

#include "base/buf.h"
#include "base/err.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stdint.h>

/* With fewer pairs nothing is known of how pairs differ. */
#define CALIBRATE_LEAST_PAIRS 6

struct calibrate_options {
	const struct config *config;
	/* As a gate would take them; capture.runs says how many pairs it begins with. */
	const struct workload_list *workloads;
	const char *command; /* the command line, for the report */
	const char *branch;  /* whose part of the policy holds; NULL: found out */
	unsigned pairs;      /* of runs to measure, CALIBRATE_LEAST_PAIRS or more */
	unsigned gates;      /* to simulate */
	uint64_t seed;
	double budget_s; /* wall time of the measuring; 0: no limit */
};

/*
 * Measures, appends what was found as `text` and as `json`. *any_failed: some of the workloads
 * could not be calibrated. -1 for an interruption and for a system that cannot go on.
 */
int calibrate_run(const struct calibrate_options *options, struct buf *text, struct buf *json,
	bool *any_failed, struct err *err);

#endif
