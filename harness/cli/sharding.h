/*
 * `gate --shard`: which of the workloads this shard measures, and the data on the whole gate for
 * its shard.bin.
 */
#ifndef CLI_SHARDING_H
#define CLI_SHARDING_H

#include "base/hash.h"
#include "output/report.h"
#include "spec/workload.h"

struct sharding {
	/* Given on the command line; NULL where not. */
	const char *shard;     /* "2/3", or "auto": by the variables of a CI */
	const char *durations; /* a former report, or its verdict.json */

	struct shard_plan plan;
	char settings[HASH_TEXT_SIZE];
	struct arena arena;          /* of the plan's names */
	struct report_shard of_gate; /* but for the command */
};

/* Reads `shard` into the plan, before anything else is read: it is an error of usage if it is
 * wrong.
 */
int sharding_parse(struct sharding *sharding, struct err *err);
/*
 * Makes the plan for all workloads of the gate and releases those of other shards. `durations` is
 * the path as seen from the root. Does nothing without `shard`.
 */
int sharding_choose(struct sharding *sharding, const char *durations, enum gate_mode mode,
	const char *branch, struct workload_list *workloads, struct err *err);
void sharding_release(struct sharding *sharding);

#endif
