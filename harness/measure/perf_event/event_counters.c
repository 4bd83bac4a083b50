#include "perf_event/event_counters.h"

#include "base/mem.h"
#include "perf_event/events.h"

#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const struct {
	uint32_t type;
	uint64_t config;
} events[NEVENT_COUNTERS] = {
	[EVENT_CPU_NS] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	[EVENT_SWITCHES] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	[EVENT_MIGRATIONS] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
	[EVENT_CYCLES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	[EVENT_INSTRUCTIONS] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	[EVENT_BRANCHES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	[EVENT_BRANCH_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	[EVENT_CACHE_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
};

static bool
is_hardware(enum event_counter counter)
{
	return events[counter].type == PERF_TYPE_HARDWARE;
}

static int
open_counter(enum event_counter counter, pid_t task, int cpu, bool at_exec)
{
	struct perf_event_attr attr = {
		.type = events[counter].type,
		.size = PERF_ATTR_SIZE_VER5,
		.config = events[counter].config,
		.inherit = 1,
		.disabled = 1,
		.enable_on_exec = at_exec,
		.exclude_kernel = is_hardware(counter),
		.exclude_hv = is_hardware(counter),
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
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
event_counters_open(
	struct event_counters *counters, const pid_t *tasks, size_t ntasks, bool at_exec)
{
	counters->nfds = ntasks;
	for (enum event_counter counter = 0; counter < NEVENT_COUNTERS; counter++) {
		counters->fds[counter] = mem_zalloc(ntasks, sizeof(int));
		for (size_t i = 0; i < ntasks; i++)
			/* For many threads the hardware's would take too many descriptors. */
			counters->fds[counter][i] =
				is_hardware(counter) && ntasks > 1
					? -1
					: open_counter(counter, tasks[i], -1, at_exec);
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
				*fd++ = counter == EVENT_CPU_NS || is_hardware(counter)
						? -1
						: open_counter(counter, -1, cpu, true);
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

static struct event_count
sum_of(const struct event_counters *counters, enum event_counter counter)
{
	struct event_count sum = counters->before[counter];

	sum.known = false;
	for (size_t i = 0; i < counters->nfds; i++) {
		uint64_t read_back[3]; /* perf_event_open(2): value, time_enabled, time_running */
		int fd = counters->fds[counter][i];

		if (fd < 0 || read(fd, read_back, sizeof(read_back)) != sizeof(read_back))
			continue;
		sum.known = true;
		sum.value += read_back[0];
		sum.enabled_ns += read_back[1];
		sum.running_ns += read_back[2];
	}
	return sum;
}

void
event_counters_follow(struct event_counters *counters, pid_t task)
{
	for (enum event_counter counter = 0; counter < NEVENT_COUNTERS; counter++) {
		struct event_count sum = sum_of(counters, counter);

		if (sum.known)
			counters->before[counter] = sum;
	}
	event_counters_close(counters);
	event_counters_open(counters, &task, 1, true);
}

int64_t
event_counters_read(const struct event_counters *counters, enum event_counter counter)
{
	struct event_count sum = sum_of(counters, counter);

	return sum.known ? (int64_t)sum.value : -1;
}

double
event_counters_scaled(
	const struct event_counters *counters, enum event_counter counter, double *running)
{
	struct event_count sum = sum_of(counters, counter);

	*running = NAN;
	if (!sum.known || sum.enabled_ns == 0)
		return NAN;
	*running = (double)sum.running_ns / (double)sum.enabled_ns;
	return sum.running_ns > 0 ? (double)sum.value / *running : NAN;
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
