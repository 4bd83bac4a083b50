/*
 * `profile_run calibrate`: measures a build against itself, which tells the growth that a gate of
 * this workload can detect on this machine, its false-alarm rate there, and the settings that fit.
 */
#ifndef COMMANDS_CALIBRATE_H
#define COMMANDS_CALIBRATE_H

#include "base/buf.h"
#include "base/err.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stdint.h>

/* With fewer pairs the variance between pairs is not known. */
#define CALIBRATE_LEAST_PAIRS 6

struct calibrate_options {
	const struct config *config;
	/* As a gate would take them; capture.runs says how many pairs it begins with. */
	const struct workload_list *workloads;
	const char *command; /* the command line, for the report */
	const char *branch;  /* whose settings apply; NULL: detected */
	unsigned pairs;      /* of runs to measure, CALIBRATE_LEAST_PAIRS or more */
	unsigned gates;      /* to simulate */
	uint64_t seed;
	double budget_s; /* wall time of the measuring; 0: no limit */
};

/*
 * Measures, and appends the results to `text` and to `json`. *any_failed: some of the workloads
 * could not be calibrated. -1 for an interruption and for a system that cannot go on.
 */
int calibrate_run(const struct calibrate_options *options, struct buf *text, struct buf *json,
	bool *any_failed, struct err *err);

#endif
