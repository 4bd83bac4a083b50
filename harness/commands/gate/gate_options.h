/*
 * The options of one gate, as the verb takes them from the command line.
 */
#ifndef GATE_GATE_OPTIONS_H
#define GATE_GATE_OPTIONS_H

#include "output/output.h"
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
	const char *branch;                    /* whose settings apply; NULL: it is detected */
	bool bisect;                           /* the exit code is for `git bisect run` */
	const char *json; /* file for another copy of verdict.json; "-": `text`; NULL: none */
	const struct report_output *commands; /* to a CI system; NULL: none */
	struct buf *commands_out;             /* gets them; NULL without them */
	bool full;                            /* report.full */
	bool rebuild;                         /* a kept build of the base is not used */
	bool measure_anyway;  /* measure the same program, too, and workloads that are not judged */
	bool measure_all;     /* measure benchmarks, too, that cannot reach the change */
	bool plan;            /* only say how each workload is judged */
	double count_limit_s; /* of a counted run for a stored baseline; 0: a minute */
	double wait_quiet_s;  /* for a quiet machine, before the first planned run; 0: no wait */
	double budget_s;      /* wall time of the gate; 0: that of the configuration */
	/*
	 * The gate of which `workloads` are a shard, without base_commit; NULL: they are all. A
	 * shard may have no workloads.
	 */
	const struct report_shard *shard;
};

#endif
