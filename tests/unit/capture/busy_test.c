#include "capture/busy.h"

#include "unit.h"

void suite_capture_busy(void);

static void
no_cpus_are_idle_for_no_time(void)
{
	cpu_set_t none;

	CPU_ZERO(&none);
	CU_ASSERT_EQUAL(busy_idle_ns(&none), 0);
}

/* A part of the time is not the time of all that were asked for. */
static void
a_cpu_that_is_not_there_leaves_all_untold(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(CPU_SETSIZE - 1, &cpus);
	CU_ASSERT_EQUAL(busy_idle_ns(&cpus), -1);
	CPU_SET(0, &cpus);
	CU_ASSERT_EQUAL(busy_idle_ns(&cpus), -1);
}

static void
the_time_is_in_whole_ticks(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	int64_t idle_ns = busy_idle_ns(&cpus);

	if (idle_ns < 0) {
		unit_skip("/proc/stat says nothing of CPU 0 here");
		return;
	}
	CU_ASSERT_EQUAL(idle_ns % 1000000, 0);
}

static const struct unit_case cases[] = {
	{"no_cpus_are_idle_for_no_time", no_cpus_are_idle_for_no_time},
	{"a_cpu_that_is_not_there_leaves_all_untold", a_cpu_that_is_not_there_leaves_all_untold},
	{"the_time_is_in_whole_ticks", the_time_is_in_whole_ticks},
	{NULL, NULL},
};

void
suite_capture_busy(void)
{
	unit_suite("capture/busy", cases);
}
