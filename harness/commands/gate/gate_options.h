/*
 * The options of a gate.
 */
#ifndef GATE_GATE_OPTIONS_H
#define GATE_GATE_OPTIONS_H

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
	const struct policy_from *policy_from; /* the source of the policy in `config` and
						  `workloads`; NULL: their own */
	const char *branch;                    /* whose settings apply; NULL: detected */
	bool bisect;                           /* the exit code is for `git bisect run` */
	const char *json;     /* file for another copy of verdict.json; "-": `text`; NULL: none */
	bool full;            /* report.full */
	bool rebuild;         /* a kept build of the base is not used */
	bool measure_anyway;  /* also the same program, and what is not judged */
	bool plan;            /* only say how each workload is judged */
	double count_limit_s; /* of a run that counts for a stored baseline; 0: a minute */
	double wait_quiet_s; /* for a quiet machine, before the first run that counts; 0: no wait */
	double budget_s;     /* wall time of all of it; 0: as the configuration has it */
	/*
	 * The gate of which the workloads are a shard, without base_commit; NULL: no shard. A shard
	 * may have no workloads.
	 */
	const struct report_shard *shard;
};

#endif
