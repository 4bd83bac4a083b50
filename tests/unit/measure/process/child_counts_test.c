#include "process/process.h"

#include "unit.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void suite_process_child_counts(void);

#define MIB ((size_t)1 << 20)

struct counted {
	struct child child;
	struct child_counts counts;
	char output[LAST_OUTPUT_MAX + 1];
};

static void
run(const char *const *argv, bool measured, struct counted *counted)
{
	const struct child_spec spec = {.argv = argv, .output = CHILD_MERGE, .measured = measured};
	struct err err = {0};
	enum watch_end end;

	CU_ASSERT_EQUAL_FATAL(child_start(&counted->child, &spec, &err), 0);
	CU_ASSERT_EQUAL(child_spin(&counted->child, &spec, 2000000, &err), 0);
	CU_ASSERT_EQUAL_FATAL(child_go(&counted->child, &spec, &err), 0);
	CU_ASSERT_EQUAL(watch_wait(&(struct watch){.child = &counted->child}, &end, &err), 0);
	child_end(&counted->child);
	CU_ASSERT_EQUAL(counted->child.status, 0);
	counted->counts = child_counts(&counted->child);
	last_output_text(&counted->child.last_output, counted->output, sizeof(counted->output));
}

static void
run_shell(const char *script, struct counted *counted)
{
	const char *const argv[] = {"/bin/sh", "-c", script, NULL};

	run(argv, true, counted);
}

/*
 * The program tells its own largest memory, which is the truth until its last few instructions. The
 * kernel counts pages on each CPU, and adds up batches of them: a program that moves between CPUs
 * may read two sums that differ by a batch on each.
 */
static void
largest_memory_is_the_programs_whatever_starts_it(void)
{
	static const char *const argv[] = {"grep", "VmHWM", "/proc/self/status", NULL};
	const size_t bytes = 500 * MIB;
	struct counted counted;
	cpu_set_t all;
	cpu_set_t one;
	char *ours = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CU_ASSERT_FATAL(ours != MAP_FAILED);
	memset(ours, 1, bytes);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	CU_ASSERT_EQUAL_FATAL(sched_getaffinity(0, sizeof(all), &all), 0);
	CU_ASSERT_EQUAL_FATAL(sched_setaffinity(0, sizeof(one), &one), 0);
	run(argv, true, &counted);
	CU_ASSERT_EQUAL(sched_setaffinity(0, sizeof(all), &all), 0);
	const char *number = strchr(counted.output, ':');

	UNIT_NEED(number);
	double truth = strtod(number + 1, NULL) * 1024;

	CU_ASSERT(counted.child.launched);
	CU_ASSERT(counted.child.launch_ns > 0);
	CU_ASSERT(truth > 500e3 && truth < 20e6);
	UNIT_NEAR((double)counted.counts.max_rss_bytes, truth, 0.2 * (double)MIB);
	/* And this is why a launcher is needed. */
	run(argv, false, &counted);
	CU_ASSERT_FALSE(counted.child.launched);
	CU_ASSERT_EQUAL(counted.child.launch_ns, 0);
	CU_ASSERT((size_t)counted.child.usage.ru_maxrss * 1024 >= bytes);
	CU_ASSERT_EQUAL(counted.counts.max_rss_bytes, 0);
	munmap(ours, bytes);
}

static void
bytes_and_calls_are_the_programs_own(void)
{
	struct counted none;
	struct counted some;

	run_shell("exit 0", &none);
	CU_ASSERT(none.counts.io_known);
	CU_ASSERT_EQUAL(none.counts.io.write_bytes, 0);
	CU_ASSERT_EQUAL(none.counts.io.write_calls, 0);
	for (int i = 0; i < 3; i++) {
		run_shell("echo 12345; echo 123 >/dev/null", &some);
		CU_ASSERT_EQUAL(some.counts.io.write_bytes, 10);
		CU_ASSERT_EQUAL(some.counts.io.write_calls, 2);
	}
	run_shell("head -c 1000000 /dev/zero >/dev/null", &some);
	CU_ASSERT_EQUAL(some.counts.io.write_bytes, 1000000);
	CU_ASSERT(some.counts.io.read_bytes >= 1000000 && some.counts.io.read_bytes < 1100000);
	CU_ASSERT(some.counts.io.read_calls > none.counts.io.read_calls);
}

/* The last one ends before the program, and has been nobody's but ours for a while. */
static void
descendants_count_waited_for_or_not(void)
{
	struct counted counted;

	run_shell("(echo a); (sh -c 'echo bb' & ) ; sleep 1", &counted);
	CU_ASSERT_EQUAL(counted.counts.io.write_bytes, 5);
	CU_ASSERT_EQUAL(counted.counts.io.write_calls, 2);
}

static double
usage_ns(const struct rusage *usage)
{
	return 1e9 * (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
	       1e3 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

static void
time_and_faults_begin_with_the_program(void)
{
	struct counted idle;
	struct counted busy;

	run_shell("exit 0", &idle);
	run_shell("i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done", &busy);
	/* It spun for 2 ms before its exec. */
	CU_ASSERT(idle.child.before_ns >= 2000000);
	UNIT_NEAR((double)(idle.counts.user_ns + idle.counts.system_ns),
		usage_ns(&idle.child.usage) - (double)idle.child.before_ns, 2000);
	CU_ASSERT(busy.counts.user_ns > 5000000);
	CU_ASSERT(busy.counts.user_ns > busy.counts.system_ns);
	CU_ASSERT(idle.counts.minor_faults > 20 && idle.counts.minor_faults < 2000);
	CU_ASSERT(idle.counts.minor_faults < (uint64_t)idle.child.usage.ru_minflt);
}

static const struct unit_case cases[] = {
	{"largest_memory_is_the_programs_whatever_starts_it",
		largest_memory_is_the_programs_whatever_starts_it},
	{"bytes_and_calls_are_the_programs_own", bytes_and_calls_are_the_programs_own},
	{"descendants_count_waited_for_or_not", descendants_count_waited_for_or_not},
	{"time_and_faults_begin_with_the_program", time_and_faults_begin_with_the_program},
	{NULL, NULL},
};

void
suite_process_child_counts(void)
{
	unit_suite("process/child_counts", cases);
}
