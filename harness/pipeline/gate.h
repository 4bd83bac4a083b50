/*
 * One gate from start to end: build, warm up, capture, fold, compare, judge, report.
 */
#ifndef PIPELINE_GATE_H
#define PIPELINE_GATE_H

#include "base/err.h"
#include "spec/workload.h"

#include <stdbool.h>

struct gate_options {
	const struct config *config;
	struct workload_list *workloads;
	const char *command; /* the command line, for the report */
};

/* Runs the gate and writes its report; *exit_code is 0, 1, 2 or 3. -1 if no report could be made. */
int gate_run(const struct gate_options *options, int *exit_code, struct err *err);

/* Measures the workloads and writes (replace: anew, else as a further occasion) their baselines. */
int gate_update_baselines(const struct gate_options *options, bool replace, struct err *err);

#endif
