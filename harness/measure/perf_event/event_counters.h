/*
 * Counters beside the samples, of a process and its descendants: exact CPU time, context switches,
 * migrations; and where the machine has a PMU what its hardware counts of their user code. The
 * kernel is left out of that: it is counted only for users with the right to, and spreads more.
 */
#ifndef PERF_EVENT_EVENT_COUNTERS_H
#define PERF_EVENT_EVENT_COUNTERS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum event_counter {
	EVENT_CPU_NS,
	EVENT_SWITCHES,
	EVENT_MIGRATIONS,
	EVENT_CYCLES, /* the first of the hardware's */
	EVENT_INSTRUCTIONS,
	EVENT_BRANCHES,
	EVENT_BRANCH_MISSES,
	EVENT_CACHE_MISSES,
	NEVENT_COUNTERS,
};

/* The count of an event, in the part of the time in which the hardware had room for it. */
struct event_count {
	bool known;
	uint64_t value;
	uint64_t enabled_ns;
	uint64_t running_ns;
};

struct event_counters {
	int *fds[NEVENT_COUNTERS]; /* one a task, or a CPU */
	size_t nfds;
	/* Sums of the earlier tasks, after event_counters_follow(). */
	struct event_count before[NEVENT_COUNTERS];
};

/*
 * Opens what the kernel allows, of several tasks not the hardware's; enabled by the task's exec if
 * `at_exec`, or else by event_counters_enable(), for its descendants, too.
 */
void event_counters_open(
	struct event_counters *counters, const pid_t *tasks, size_t ntasks, bool at_exec);
/* For all processes on these CPUs, without their CPU time. */
void event_counters_open_cpus(struct event_counters *counters, const cpu_set_t *cpus);
/* Continues with another task, opened as by event_counters_open(). */
void event_counters_follow(struct event_counters *counters, pid_t task);
void event_counters_enable(const struct event_counters *counters);
void event_counters_disable(const struct event_counters *counters);
/* The sum over all of them; -1 if it was refused. */
int64_t event_counters_read(const struct event_counters *counters, enum event_counter counter);
/*
 * What the hardware would have counted with room all the time, and the share of the time in which
 * it had room. Both are NAN where it was refused; of an event that never ran only the count is.
 */
double event_counters_scaled(
	const struct event_counters *counters, enum event_counter counter, double *running);
void event_counters_close(struct event_counters *counters);

#endif
