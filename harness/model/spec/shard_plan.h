/*
 * Which shard of a gate measures which workload: a function of the workloads' names, the number of
 * shards and what is known of durations, so that every shard makes the same plan.
 */
#ifndef SPEC_SHARD_PLAN_H
#define SPEC_SHARD_PLAN_H

#include "base/arena.h"
#include "base/err.h"
#include "spec/workload.h"

#include <stddef.h>

/* Far more than the parallel jobs of any CI. */
#define SHARD_COUNT_MAX 10000

/* How long measuring a workload took in a former gate. */
struct shard_duration {
	const char *workload;
	double seconds; /* 0 or more */
};

struct shard_durations {
	struct shard_duration *items; /* in any order; the arena's */
	size_t count;
	struct arena arena;
};

struct shard_entry {
	const char *workload; /* borrowed */
	unsigned shard;       /* 1 to `count` */
};

struct shard_plan {
	unsigned index; /* this shard: 1 to `count` */
	unsigned count;
	struct shard_entry *entries; /* of all workloads of the gate, by name; owned */
	size_t nentries;
	struct arena arena; /* of the names that it has of a list of workloads */
};

/* Reads "2/3", or "auto": by the variables of a CI. */
int shard_plan_parse(struct shard_plan *plan, const char *text, struct err *err);

/*
 * Assigns `n` workloads, whose names are sorted, to plan->count shards. The longest first, each to
 * the shard that has least so far: Graham, "Bounds on multiprocessing timing anomalies", SIAM
 * Journal on Applied Mathematics 17 (1969), which is at most 4/3 of the best plan. Workloads
 * without a duration are assigned before them, by a hash of their names, and count with the mean of
 * the others; so they keep their shard when other workloads come and go. `durations` NULL: none are
 * known.
 */
void shard_plan_make(struct shard_plan *plan, const char *const *names, size_t n,
	const struct shard_durations *durations);
void shard_plan_release(struct shard_plan *plan);

/* The shard of a workload; 0 if the plan does not have it. */
unsigned shard_plan_find(const struct shard_plan *plan, const char *workload);

/* Makes the plan for all workloads of a gate, and releases those of other shards. */
void shard_plan_choose(struct shard_plan *plan, const struct shard_durations *durations,
	struct workload_list *workloads);

#endif
