/*
 * Counters beside the samples: exact CPU time, context switches and migrations of a process and all
 * that comes from it.
 */
#ifndef CAPTURE_COUNTERS_H
#define CAPTURE_COUNTERS_H

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
	int *fds[NCOUNTERS]; /* one a task */
	size_t ntasks;
};

/* Opens what the kernel allows; enabled by the task's exec, or by counters_enable(). */
void counters_open(struct counters *counters, const pid_t *tasks, size_t ntasks);
void counters_enable(const struct counters *counters);
void counters_disable(const struct counters *counters);
/* The sum over all tasks; -1 if it was refused. */
int64_t counters_read(const struct counters *counters, enum counter counter);
void counters_close(struct counters *counters);

#endif
