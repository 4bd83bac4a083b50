#include "machine/disturb.h"

#include "machine_tree.h"
#include "unit.h"

#include <unistd.h>

void suite_machine_busy(void);

static void
no_cpus_are_idle_for_no_time(void)
{
	cpu_set_t none;

	CPU_ZERO(&none);
	CU_ASSERT_EQUAL(busy_idle_ns(&none), 0);
}

/* A part of the time is not the time of all that were asked for. */
static void
a_cpu_that_is_not_there_leaves_all_unknown(void)
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

static void
sets_get_their_own_times(void)
{
	struct scratch scratch;
	struct busy_times times[2];
	cpu_set_t one;
	cpu_set_t both;
	const cpu_set_t *const sets[] = {&one, &both};
	const int64_t tick_ns = 1000000000 / sysconf(_SC_CLK_TCK);

	scratch_init(&scratch);
	machine_put(&scratch, "/proc/stat",
		"cpu  9 9 9 9 9 9 9 9\ncpu0 1 1 1 10 5 1 1 3\ncpu7 1 1 1 100 50 1 1 30\n"
		"cpu99999 1 1 1 1 1 1 1 1\nintr 1\n");
	CPU_ZERO(&one);
	CPU_SET(7, &one);
	both = one;
	CPU_SET(0, &both);
	CU_ASSERT_EQUAL(busy_times_read(scratch.dir, sets, 2, times), 0);
	CU_ASSERT_EQUAL(times[0].idle_ns, 150 * tick_ns);
	CU_ASSERT_EQUAL(times[0].steal_ns, 30 * tick_ns);
	CU_ASSERT_EQUAL(times[0].cpus, 1);
	CU_ASSERT_EQUAL(times[1].idle_ns, 165 * tick_ns);
	CU_ASSERT_EQUAL(times[1].cpus, 2);
	busy_cpus(scratch.dir, &one);
	CU_ASSERT_TRUE(CPU_EQUAL(&one, &both));
	scratch_release(&scratch);
}

static void
without_the_file_nothing_is_reported(void)
{
	struct busy_times times = {.cpus = 5};
	cpu_set_t cpus;
	const cpu_set_t *const sets[] = {&cpus};

	busy_cpus("/nowhere", &cpus);
	CU_ASSERT_EQUAL(CPU_COUNT(&cpus), 0);
	CU_ASSERT_EQUAL(busy_times_read("/nowhere", sets, 1, &times), -1);
	CU_ASSERT_EQUAL(times.cpus, 0);
}

static const struct unit_case cases[] = {
	{"sets_get_their_own_times", sets_get_their_own_times},
	{"without_the_file_nothing_is_reported", without_the_file_nothing_is_reported},
	{"no_cpus_are_idle_for_no_time", no_cpus_are_idle_for_no_time},
	{"a_cpu_that_is_not_there_leaves_all_unknown", a_cpu_that_is_not_there_leaves_all_unknown},
	{"the_time_is_in_whole_ticks", the_time_is_in_whole_ticks},
	{NULL, NULL},
};

void
suite_machine_busy(void)
{
	unit_suite("machine/busy", cases);
}
