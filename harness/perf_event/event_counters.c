#include "perf_event/event_counters.h"

#include "base/mem.h"
#include "perf_event/events.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const uint64_t configs[NEVENT_COUNTERS] = {
	[EVENT_CPU_NS] = PERF_COUNT_SW_TASK_CLOCK,
	[EVENT_SWITCHES] = PERF_COUNT_SW_CONTEXT_SWITCHES,
	[EVENT_MIGRATIONS] = PERF_COUNT_SW_CPU_MIGRATIONS,
};

static int
open_counter(enum event_counter counter, pid_t task, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER5,
		.config = configs[counter],
		.inherit = 1,
		.disabled = 1,
		.enable_on_exec = 1,
	};
	int fd = event_open(&attr, task, cpu);

	if (fd < 0 && counter == EVENT_CPU_NS) {
		/* A clock counts kernel time all the same; the other two would count nothing. */
		attr.exclude_kernel = 1;
		attr.exclude_hv = 1;
		fd = event_open(&attr, task, cpu);
	}
	return fd;
}

void
event_counters_open(struct event_counters *counters, const pid_t *tasks, size_t ntasks)
{
	counters->nfds = ntasks;
	for (enum event_counter counter = 0; counter < NEVENT_COUNTERS; counter++) {
		counters->fds[counter] = mem_zalloc(ntasks, sizeof(int));
		for (size_t i = 0; i < ntasks; i++)
			counters->fds[counter][i] = open_counter(counter, tasks[i], -1);
	}
}

void
event_counters_open_cpus(struct event_counters *counters, const cpu_set_t *cpus)
{
	counters->nfds = (size_t)CPU_COUNT(cpus);
	for (enum event_counter counter = 0; counter < NEVENT_COUNTERS; counter++) {
		int *fd = counters->fds[counter] = mem_zalloc(counters->nfds, sizeof(int));

		/* The clock of a CPU counts while nothing runs there. */
		for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (CPU_ISSET((size_t)cpu, cpus))
				*fd++ = counter == EVENT_CPU_NS ? -1
								: open_counter(counter, -1, cpu);
	}
}

static void
control(const struct event_counters *counters, unsigned long request)
{
	for (enum event_counter counter = 0; counter < NEVENT_COUNTERS; counter++)
		for (size_t i = 0; i < counters->nfds; i++)
			if (counters->fds[counter][i] >= 0)
				ioctl(counters->fds[counter][i], request, 0);
}

void
event_counters_enable(const struct event_counters *counters)
{
	control(counters, PERF_EVENT_IOC_ENABLE);
}

void
event_counters_disable(const struct event_counters *counters)
{
	control(counters, PERF_EVENT_IOC_DISABLE);
}

void
event_counters_follow(struct event_counters *counters, pid_t task)
{
	for (enum event_counter counter = 0; counter < NEVENT_COUNTERS; counter++) {
		int64_t count = event_counters_read(counters, counter);

		if (count >= 0)
			counters->before[counter] = count;
	}
	event_counters_close(counters);
	event_counters_open(counters, &task, 1);
}

int64_t
event_counters_read(const struct event_counters *counters, enum event_counter counter)
{
	int64_t sum = -1;

	for (size_t i = 0; i < counters->nfds; i++) {
		uint64_t count;
		int fd = counters->fds[counter][i];

		if (fd < 0 || read(fd, &count, sizeof(count)) != sizeof(count))
			continue;
		sum = (sum < 0 ? counters->before[counter] : sum) + (int64_t)count;
	}
	return sum;
}

void
event_counters_close(struct event_counters *counters)
{
	for (enum event_counter counter = 0; counter < NEVENT_COUNTERS; counter++) {
		for (size_t i = 0; i < counters->nfds; i++)
			if (counters->fds[counter][i] >= 0)
				close(counters->fds[counter][i]);
		free(counters->fds[counter]);
		counters->fds[counter] = NULL;
	}
	counters->nfds = 0;
}
