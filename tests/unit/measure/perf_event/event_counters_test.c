#include "perf_event/events.h"

#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void suite_perf_event_event_counters(void);

/* A descriptor that reads as a counter does once. */
static int
counter_running(uint64_t count, uint64_t enabled_ns, uint64_t running_ns)
{
	const uint64_t values[] = {count, enabled_ns, running_ns};
	int ends[2];

	if (pipe(ends) < 0 || write(ends[1], values, sizeof(values)) != sizeof(values))
		return -1;
	close(ends[1]);
	return ends[0];
}

/* ... with `bytes` less the whole of it or a part. */
static int
counter_of(uint64_t count, size_t bytes)
{
	int ends[2];

	if (bytes == 8)
		return counter_running(count, 1, 1);
	if (pipe(ends) < 0 || write(ends[1], &count, bytes) != (ssize_t)bytes)
		return -1;
	close(ends[1]);
	return ends[0];
}

static void
a_count_is_the_sum_of_what_was_not_refused(void)
{
	int times[] = {counter_of(5, 8), -1, counter_of(UINT64_C(7000000000), 8)};
	int refused[] = {-1, -1, -1};
	int part[] = {-1, counter_of(9, 4), counter_of(0, 8)};
	struct event_counters counters = {.fds = {times, refused, part}, .nfds = 3};

	CU_ASSERT_EQUAL(event_counters_read(&counters, EVENT_CPU_NS), 7000000005);
	CU_ASSERT_EQUAL(event_counters_read(&counters, EVENT_SWITCHES), -1);
	/* None at all, and none that could be read, differ from a count of nothing. */
	CU_ASSERT_EQUAL(event_counters_read(&counters, EVENT_MIGRATIONS), 0);
	CU_ASSERT_EQUAL(event_counters_read(&counters, EVENT_MIGRATIONS), -1);
	for (size_t i = 0; i < 3; i++) {
		if (times[i] >= 0)
			close(times[i]);
		if (part[i] >= 0)
			close(part[i]);
	}
}

static void
one_task_follows_another(void)
{
	int times[] = {counter_of(5, 8)};
	int refused[] = {-1};
	struct event_counters counters = {.nfds = 1};

	for (enum event_counter counter = 0; counter < NEVENT_COUNTERS; counter++)
		counters.fds[counter] = memcpy(calloc(1, sizeof(int)), refused, sizeof(int));
	counters.fds[EVENT_CPU_NS][0] = times[0];
	event_counters_follow(&counters, getpid());
	/* The next one has not begun. */
	if (counters.fds[EVENT_CPU_NS][0] >= 0)
		CU_ASSERT_EQUAL(event_counters_read(&counters, EVENT_CPU_NS), 5);
	event_counters_follow(&counters, getpid());
	if (counters.fds[EVENT_CPU_NS][0] >= 0)
		CU_ASSERT_EQUAL(event_counters_read(&counters, EVENT_CPU_NS), 5);
	event_counters_close(&counters);
}

static void
counters_of_nobody_tell_nothing(void)
{
	struct event_counters counters = {.nfds = 0};
	cpu_set_t none;

	CPU_ZERO(&none);
	event_counters_open_cpus(&counters, &none);
	event_counters_enable(&counters);
	CU_ASSERT_EQUAL(event_counters_read(&counters, EVENT_SWITCHES), -1);
	event_counters_close(&counters);
	event_counters_close(&counters);
	CU_ASSERT_EQUAL(counters.nfds, 0);
}

static void
the_time_of_a_cpu_is_not_counted(void)
{
	struct event_counters counters = {.nfds = 0};
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	event_counters_open_cpus(&counters, &cpus);
	CU_ASSERT_EQUAL(counters.nfds, 1);
	CU_ASSERT_EQUAL(counters.fds[EVENT_CPU_NS][0], -1);
	event_counters_close(&counters);
}

static void
what_shared_the_hardware_is_scaled(void)
{
	int none[] = {-1, -1};
	int half[] = {counter_running(100, 2000, 1000), counter_running(50, 1000, 500)};
	int never[] = {counter_running(0, 2000, 0), -1};
	struct event_counters counters = {.nfds = 2};
	double running;

	for (enum event_counter counter = 0; counter < NEVENT_COUNTERS; counter++)
		counters.fds[counter] = none;
	counters.fds[EVENT_CYCLES] = half;
	counters.fds[EVENT_BRANCHES] = never;
	counters.before[EVENT_CYCLES] = (struct event_count){true, 150, 1000, 1000};
	/* 300 in 2500 of 4000 ns. */
	UNIT_NEAR(event_counters_scaled(&counters, EVENT_CYCLES, &running), 480, 1e-9);
	UNIT_NEAR(running, 0.625, 1e-12);
	CU_ASSERT(isnan(event_counters_scaled(&counters, EVENT_BRANCHES, &running)));
	UNIT_NEAR(running, 0, 0);
	CU_ASSERT(isnan(event_counters_scaled(&counters, EVENT_INSTRUCTIONS, &running)));
	CU_ASSERT(isnan(running));
	for (size_t i = 0; i < 2; i++)
		close(half[i]);
	close(never[0]);
}

static const struct unit_case cases[] = {
	{"a_count_is_the_sum_of_what_was_not_refused", a_count_is_the_sum_of_what_was_not_refused},
	{"one_task_follows_another", one_task_follows_another},
	{"what_shared_the_hardware_is_scaled", what_shared_the_hardware_is_scaled},
	{"counters_of_nobody_tell_nothing", counters_of_nobody_tell_nothing},
	{"the_time_of_a_cpu_is_not_counted", the_time_of_a_cpu_is_not_counted},
	{NULL, NULL},
};

void
suite_perf_event_event_counters(void)
{
	unit_suite("perf_event/event_counters", cases);
}
