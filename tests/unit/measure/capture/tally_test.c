#include "capture/capture_internal.h"

#include "unit.h"

void suite_capture_tally(void);

/* No counter, as where the kernel refused them all. */
static const struct event_counters no_counters;

static struct run
tally(const struct capture_request *request, const struct rusage *usage, int64_t cpu_ns)
{
	struct tally tally = {
		.request = request, .counters = &no_counters, .usage = usage, .cpu_ns = cpu_ns};
	struct run run = {.samples = 0};

	tally_run(&tally, &run);
	return run;
}

static const struct capture_request clock_request = {
	.event = {.type = PERF_TYPE_SOFTWARE, .is_clock = true, .rate_hz = 1e9},
	.period = 250000,
	.perfdata_path = "x.data",
};

static void
test_usage(void)
{
	struct rusage usage = {.ru_utime = {2, 970000}, .ru_stime = {0, 30000}};
	struct run run;

	usage.ru_nvcsw = 3;
	usage.ru_nivcsw = 4;
	run = tally(&clock_request, &usage, -1);
	CU_ASSERT(run.measured);
	CU_ASSERT_EQUAL(run.cpu_ns, 3000000000);
	UNIT_NEAR(run.cost_total, 3e9, 0);
	CU_ASSERT_EQUAL(run.context_switches, 7);
	CU_ASSERT_EQUAL(run.migrations, 0);
	CU_ASSERT_EQUAL(run.period, 250000);
	/* Under the tick's uncertainty the kernel's part is neither here nor there. */
	UNIT_NEAR(run.expected_samples, 12000, 0);
	run = tally(&clock_request, &usage, 500000000);
	CU_ASSERT_EQUAL(run.cpu_ns, 500000000);
	UNIT_NEAR(run.expected_samples, 2000, 0);

	struct capture_request timed = clock_request;

	/* Each switch is a sample, too. */
	timed.event.timed = true;
	run = tally(&timed, &usage, 500000000);
	UNIT_NEAR(run.expected_samples, 2007, 0);
}

static void
test_executions(void)
{
	struct rusage usage = {.ru_utime = {2, 970000}, .ru_stime = {0, 30000}};
	struct tally of = {.request = &clock_request,
		.counters = &no_counters,
		.usage = &usage,
		.cpu_ns = -1,
		.executions = 60};
	struct run run = {.samples = 0};

	tally_run(&of, &run);
	CU_ASSERT_EQUAL(run.executions, 60);
	UNIT_NEAR(run.cost_total, 5e7, 0);
	CU_ASSERT_EQUAL(run.cpu_ns, 3000000000);
	UNIT_NEAR(run.expected_samples, 12000, 0);
}

static void
test_kernel_time(void)
{
	struct rusage usage = {.ru_utime = {2, 0}, .ru_stime = {1, 0}};
	struct capture_request request = clock_request;

	/* How much of it was dropped is not known. */
	UNIT_NEAR(tally(&request, &usage, -1).expected_samples, 0, 0);
	request.event.kernel = true;
	UNIT_NEAR(tally(&request, &usage, -1).expected_samples, 12000, 0);
}

static void
test_frequency(void)
{
	struct capture_request request = clock_request;
	struct rusage usage = {.ru_utime = {1, 0}};

	request.period = 0;
	request.frequency_hz = 4000;
	CU_ASSERT_EQUAL(tally(&request, &usage, -1).period, 250000);
	UNIT_NEAR(tally(&request, &usage, -1).expected_samples, 4000, 0);
	/* A counter's frequency is the kernel's affair: CPU time tells. */
	request.event = (struct capture_event){.type = PERF_TYPE_HARDWARE, .rate_hz = 3e9};
	CU_ASSERT_EQUAL(tally(&request, &usage, -1).period, 750000);
	UNIT_NEAR(tally(&request, &usage, -1).expected_samples, 4000, 0);
	/* And page faults need not happen that often. */
	request.event.type = PERF_TYPE_SOFTWARE;
	UNIT_NEAR(tally(&request, &usage, -1).expected_samples, 0, 0);
}

/* Else it would be taken for that of other processes. */
static void
test_launchers(void)
{
	struct rusage usage = {.ru_utime = {2, 0}};
	struct disturb disturb = {.begin.times[DISTURB_PROGRAM].cpus = 1,
		.end = {.at_ns = 3000000000, .times[DISTURB_PROGRAM].cpus = 1}};
	struct capture_request request = clock_request;
	struct tally of = {.request = &request,
		.counters = &no_counters,
		.usage = &usage,
		.cpu_ns = 1900000000,
		.disturb = &disturb,
		.launch_ns = 600000000,
		.executions = 60};
	struct run run = {.samples = 0};

	CPU_SET(1, &disturb.sets[DISTURB_PROGRAM]);
	request.reader_cpu = 0;
	tally_run(&of, &run);
	CU_ASSERT_EQUAL(run.cpu_ns, 1900000000);
	CU_ASSERT_EQUAL(run.others_ns, 400000000);
}

static void
test_no_capture(void)
{
	struct capture_request request = clock_request;
	struct rusage usage = {.ru_utime = {1, 0}};

	request.perfdata_path = NULL;
	UNIT_NEAR(tally(&request, &usage, -1).expected_samples, 0, 0);
	CU_ASSERT_EQUAL(tally(&request, &usage, -1).cpu_ns, 1000000000);
}

static const struct unit_case cases[] = {
	{"without_counters_the_usage_tells", test_usage},
	{"a_cost_is_of_one_execution_and_all_else_of_the_run", test_executions},
	{"time_of_launchers_is_not_that_of_other_processes", test_launchers},
	{"much_kernel_time_that_is_not_sampled_expects_nothing", test_kernel_time},
	{"a_frequency_is_a_period_by_the_event_s_rate", test_frequency},
	{"a_run_without_a_capture_expects_no_samples", test_no_capture},
	{NULL, NULL},
};

void
suite_capture_tally(void)
{
	unit_suite("capture/tally", cases);
}
