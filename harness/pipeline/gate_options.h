/*
 * What a gate is asked to do.
 */
#ifndef PIPELINE_GATE_OPTIONS_H
#define PIPELINE_GATE_OPTIONS_H

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

#endif
