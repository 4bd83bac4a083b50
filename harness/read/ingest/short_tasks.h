/*
 * Processes and threads that ended without a sample, of a recording that follows a program into its
 * children: the kernel begins a sampling period anew in each, so that one that uses less CPU time
 * than a period has no sample, however many there are.
 */
#ifndef INGEST_SHORT_TASKS_H
#define INGEST_SHORT_TASKS_H

#include "base/map.h"
#include "perfdata/records.h"
#include "profile/profile.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

struct short_task {
	uint64_t began_ns; /* 0: it ended */
	bool has_sample;
};

/* All zeros counts nothing. */
struct short_tasks {
	double period_ns;   /* of the event, by its frequency or clock; 0: not such a recording */
	struct key_map ids; /* by tid */
	struct short_task *tasks;
	size_t capacity;
	uint32_t last_sampled; /* a tid: most samples are of the same thread as the one before */
	uint64_t unsampled;
	double missing; /* samples that those would have had, if they used all of their time */
};

void short_tasks_init(struct short_tasks *tasks, const struct perf_event_attr *attr);
void short_tasks_release(struct short_tasks *tasks);
/* Takes every record, in the order of time. */
void short_tasks_take(struct short_tasks *tasks, const struct record *record);
/* Adds them to those of the profile. */
void short_tasks_describe(const struct short_tasks *tasks, struct profile *profile);

#endif
