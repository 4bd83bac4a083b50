#include "machine/disturb.h"

#include "machine_tree.h"
#include "unit.h"

#include <math.h>
#include <unistd.h>

void suite_machine_disturb(void);

#define SECOND 1000000000U

static const char stat_before[] = "cpu  0 0 0 0 0 0 0 0 0 0\n"
				  "cpu0 100 0 0 1000 10 0 0 0 0 0\n"
				  "cpu1 100 0 0 2000 20 0 0 5 0 0\n"
				  "cpu2 100 0 0 3000 30 0 0 0 0 0\n"
				  "cpu3 100 0 0 4000 40 0 0 0 0 0\n"
				  "intr 1 2 3 4\n";
/* In 4 s: CPU 1 was idle for 0.5 s and stolen for 0.2 s, its sibling 3 idle for 1 s, the others
 * (0 and 2) for 3 s each. */
static const char stat_after[] = "cpu  0 0 0 0 0 0 0 0 0 0\n"
				 "cpu0 200 0 0 1300 10 0 0 0 0 0\n"
				 "cpu1 430 0 0 2040 30 0 0 25 0 0\n"
				 "cpu2 200 0 0 3300 30 0 0 0 0 0\n"
				 "cpu3 400 0 0 4100 40 0 0 0 0 0\n"
				 "intr 1 2 3 5\n";

static void
put_machine(struct scratch *scratch)
{
	machine_put(scratch, "/proc/stat", stat_before);
	machine_put(scratch, "/proc/pressure/cpu",
		"some avg10=1.87 avg60=1.93 avg300=0.85 total=1000\n"
		"full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
	machine_put(scratch, "/sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "1,3\n");
	machine_put(scratch, "/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "2100000\n");
}

/* A run of 4 s on CPU 1, whatever the clock says: CLK_TCK is 100 on all machines of today. */
static struct run
watch(struct scratch *scratch, const struct disturb_known *known)
{
	struct disturb disturb;
	struct run run = {.measured = true};
	cpu_set_t program;

	CPU_ZERO(&program);
	CPU_SET(1, &program);
	disturb_begin(&disturb, &program, scratch->dir);
	machine_put(scratch, "/proc/stat", stat_after);
	machine_put(scratch, "/proc/pressure/cpu", "some avg10=1 avg60=1 avg300=1 total=251000\n");
	machine_put(scratch, "/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "3400000\n");
	disturb_end(&disturb);
	disturb.end.at_ns = disturb.begin.at_ns + 4ULL * SECOND;
	disturb_fill(&disturb, known, &run);
	return run;
}

static void
each_has_its_share(void)
{
	struct scratch scratch;
	const struct disturb_known known = {
		.program_ns = 3 * (uint64_t)SECOND, .harness_ns = SECOND / 2, .harness_cpu = 0};

	scratch_init(&scratch);
	put_machine(&scratch);
	if (sysconf(_SC_CLK_TCK) != 100) {
		unit_skip("the fixture's ticks are of 10 ms");
		scratch_release(&scratch);
		return;
	}
	struct run run = watch(&scratch, &known);

	CU_ASSERT_EQUAL(run.program_cpus, 1);
	CU_ASSERT_EQUAL(run.sibling_cpus, 1);
	CU_ASSERT_EQUAL(run.outside_cpus, 2);
	CU_ASSERT_EQUAL(run.steal_ns, SECOND / 5);
	/* 4 s less 0.5 idle, 0.2 stolen and 3 of the program's own. */
	CU_ASSERT_EQUAL(run.others_ns, 300000000U);
	CU_ASSERT_EQUAL(run.sibling_ns, 3 * (uint64_t)SECOND);
	/* Two seconds, of which half a one was ours. */
	CU_ASSERT_EQUAL(run.outside_ns, SECOND + SECOND / 2);
	CU_ASSERT_EQUAL(run.pressure_ns, 250000000U);
	UNIT_NEAR(run.begin_mhz, 2100, 1e-9);
	UNIT_NEAR(run.end_mhz, 3400, 1e-9);
	scratch_release(&scratch);
}

/* Where there is one CPU only, the reader is on the program's. */
static void
we_are_no_other_process(void)
{
	struct scratch scratch;
	const struct disturb_known known = {
		.program_ns = 3 * (uint64_t)SECOND, .harness_ns = SECOND / 5, .harness_cpu = -1};
	const struct disturb_known more = {.program_ns = 5 * (uint64_t)SECOND, .harness_cpu = -1};

	scratch_init(&scratch);
	put_machine(&scratch);
	if (sysconf(_SC_CLK_TCK) != 100) {
		unit_skip("the fixture's ticks are of 10 ms");
		scratch_release(&scratch);
		return;
	}
	CU_ASSERT_EQUAL(watch(&scratch, &known).others_ns, SECOND / 10);
	/* Ticks are rough, and a counter may have more. */
	put_machine(&scratch);
	CU_ASSERT_EQUAL(watch(&scratch, &more).others_ns, 0);
	scratch_release(&scratch);
}

static void
a_machine_that_tells_nothing_leaves_all_unknown(void)
{
	struct scratch scratch;
	struct disturb disturb;
	struct run run = {.measured = true};
	const struct disturb_known known = {.harness_cpu = -1};
	cpu_set_t program;

	scratch_init(&scratch);
	CPU_ZERO(&program);
	CPU_SET(1, &program);
	disturb_begin(&disturb, &program, scratch.dir);
	disturb_end(&disturb);
	disturb_fill(&disturb, &known, &run);
	CU_ASSERT_EQUAL(run.program_cpus, 0);
	CU_ASSERT_EQUAL(run.sibling_cpus, 0);
	CU_ASSERT_EQUAL(run.outside_cpus, 0);
	CU_ASSERT_EQUAL(run.others_ns, 0);
	CU_ASSERT_EQUAL(run.pressure_ns, 0);
	CU_ASSERT_EQUAL(run.end_mhz, 0);
	scratch_release(&scratch);
}

static void
a_cpu_that_goes_away_leaves_its_set_unknown(void)
{
	struct scratch scratch;
	struct disturb disturb;
	struct run run = {.measured = true};
	const struct disturb_known known = {.harness_cpu = -1};
	cpu_set_t program;

	scratch_init(&scratch);
	put_machine(&scratch);
	CPU_ZERO(&program);
	CPU_SET(1, &program);
	CPU_SET(2, &program);
	disturb_begin(&disturb, &program, scratch.dir);
	machine_put(&scratch, "/proc/stat", "cpu0 1 2 3 4 5 6 7 8\ncpu1 1 2 3 4 5 6 7 8\n");
	disturb_end(&disturb);
	disturb_fill(&disturb, &known, &run);
	CU_ASSERT_EQUAL(run.program_cpus, 0);
	CU_ASSERT_EQUAL(run.outside_cpus, 1);
	scratch_release(&scratch);
}

static void
the_clock_is_that_of_cpuinfo_without_cpufreq(void)
{
	struct scratch scratch;
	struct disturb disturb;
	cpu_set_t program;

	scratch_init(&scratch);
	machine_put(&scratch, "/proc/cpuinfo",
		"processor\t: 0\ncpu MHz\t\t: 1200.000\nflags\t\t: fpu\n\n"
		"processor\t: 1\ncpu MHz\t\t: 2400.500\n\nprocessor\t: 2\ncpu MHz\t\t: 2600.500\n");
	CPU_ZERO(&program);
	CPU_SET(1, &program);
	CPU_SET(2, &program);
	disturb_begin(&disturb, &program, scratch.dir);
	UNIT_NEAR(disturb.begin.mhz, 2500.5, 1e-9);
	scratch_release(&scratch);
}

static const struct unit_case cases[] = {
	{"each_has_its_share", each_has_its_share},
	{"we_are_no_other_process", we_are_no_other_process},
	{"a_machine_that_tells_nothing_leaves_all_unknown",
		a_machine_that_tells_nothing_leaves_all_unknown},
	{"a_cpu_that_goes_away_leaves_its_set_unknown",
		a_cpu_that_goes_away_leaves_its_set_unknown},
	{"the_clock_is_that_of_cpuinfo_without_cpufreq",
		the_clock_is_that_of_cpuinfo_without_cpufreq},
	{NULL, NULL},
};

void
suite_machine_disturb(void)
{
	unit_suite("machine/disturb", cases);
}
