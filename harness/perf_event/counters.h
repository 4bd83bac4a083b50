/*
 * Counters beside the samples: exact CPU time, context switches and migrations of a process and its
 * descendants.
 */
#ifndef PERF_EVENT_COUNTERS_H
#define PERF_EVENT_COUNTERS_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum counter {
	COUNTER_CPU_NS,
	COUNTER_SWITCHES,
	COUNTER_MIGRATIONS,
	NCOUNTERS,
};

struct counters {
	int *fds[NCOUNTERS]; /* one a task, or a CPU */
	size_t nfds;
	int64_t before[NCOUNTERS]; /* sums of the earlier tasks, after counters_follow() */
};

/* Opens what the kernel allows; enabled by the task's exec, or by counters_enable(). */
void counters_open(struct counters *counters, const pid_t *tasks, size_t ntasks);
/* For all processes on these CPUs, without their CPU time. */
void counters_open_cpus(struct counters *counters, const cpu_set_t *cpus);
/* Continues with another task, opened as by counters_open(). */
void counters_follow(struct counters *counters, pid_t task);
void counters_enable(const struct counters *counters);
void counters_disable(const struct counters *counters);
/* The sum over all of them; -1 if it was refused. */
int64_t counters_read(const struct counters *counters, enum counter counter);
void counters_close(struct counters *counters);

#endif
