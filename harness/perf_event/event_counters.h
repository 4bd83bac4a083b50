/*
 * Counters beside the samples: exact CPU time, context switches and migrations of a process and its
 * descendants.
 */
#ifndef PERF_EVENT_EVENT_COUNTERS_H
#define PERF_EVENT_EVENT_COUNTERS_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum event_counter {
	EVENT_CPU_NS,
	EVENT_SWITCHES,
	EVENT_MIGRATIONS,
	NEVENT_COUNTERS,
};

struct event_counters {
	int *fds[NEVENT_COUNTERS]; /* one a task, or a CPU */
	size_t nfds;
	int64_t before[NEVENT_COUNTERS]; /* sums of the earlier tasks, after event_counters_follow()
					  */
};

/* Opens what the kernel allows; enabled by the task's exec, or by event_counters_enable(). */
void event_counters_open(struct event_counters *counters, const pid_t *tasks, size_t ntasks);
/* For all processes on these CPUs, without their CPU time. */
void event_counters_open_cpus(struct event_counters *counters, const cpu_set_t *cpus);
/* Continues with another task, opened as by event_counters_open(). */
void event_counters_follow(struct event_counters *counters, pid_t task);
void event_counters_enable(const struct event_counters *counters);
void event_counters_disable(const struct event_counters *counters);
/* The sum over all of them; -1 if it was refused. */
int64_t event_counters_read(const struct event_counters *counters, enum event_counter counter);
void event_counters_close(struct event_counters *counters);

#endif
