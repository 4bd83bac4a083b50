/*
 * One gate from start to end: measure, find what to compare with, judge, measure again what is not
 * decided, report.
 */
#ifndef PIPELINE_GATE_H
#define PIPELINE_GATE_H

#include "base/buf.h"
#include "base/err.h"
#include "output/report.h"
#include "spec/workload.h"

#include <stdbool.h>

struct policy_from;

struct gate_options {
	const struct config *config;
	const struct workload_list *workloads;
	const char *command;         /* the command line, for the report */
	const char *command_options; /* the same without the workloads it names */
	const char *against; /* a commit, a folder or a map of programs to measure in pairs with;
				NULL: stored baselines */
	const struct policy_from *policy_from; /* whose policy `config` and `workloads` have; NULL:
						  their own */
	const char *branch;                    /* whose severity holds; NULL: found out */
	bool bisect;                           /* the exit code is for `git bisect run` */
	const char *json;    /* file for another copy of verdict.json; "-": `text`; NULL: none */
	bool full;           /* report.full */
	bool measure_anyway; /* also where both builds are the same program */
	double wait_quiet_s; /* for a quiet machine, before the first run that counts; 0: no wait */
	double budget_s;     /* wall time of all of it; 0: as the configuration has it */
	/*
	 * Of what gate the workloads are a shard, but for base_commit; NULL: they are all. A shard
	 * may have none.
	 */
	const struct report_shard *shard;
};

/*
 * Runs the gate and writes its report: REPORTS/UTC-TIME/ whole or not at all, and REPORTS/latest
 * pointing to it. *exit_code is 0, 1, 2 or 3; the text of the verdict is appended to `text`. -1 if
 * no report could be made.
 */
int gate_run(const struct gate_options *options, int *exit_code, struct buf *text, struct err *err);

#endif
