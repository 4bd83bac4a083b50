#include "measurement/run_capture.h"

#include "unit.h"

void suite_measurement_run_capture(void);

static void
a_capture_and_its_profile_make_one_run(void)
{
	struct run column = {.samples = 10,
		.broken_stacks = 3,
		.truncated_stacks = 2,
		.unknown_frames = 1,
		.cpu_ns = 1,
		.lost = 1};
	const struct run captured = {.samples = 12,
		.broken_stacks = 9,
		.truncated_stacks = 9,
		.unknown_frames = 9,
		.cpu_ns = 77,
		.wall_ns = 88,
		.cost_total = 77,
		.lost = 5,
		.session = 2};

	run_capture_merge_counts(&column, &captured);
	CU_ASSERT_EQUAL(column.samples, 10);
	CU_ASSERT_EQUAL(column.broken_stacks, 3);
	CU_ASSERT_EQUAL(column.truncated_stacks, 2);
	CU_ASSERT_EQUAL(column.unknown_frames, 1);
	CU_ASSERT_EQUAL(column.cpu_ns, 77);
	CU_ASSERT_EQUAL(column.wall_ns, 88);
	CU_ASSERT_EQUAL(column.lost, 5);
	CU_ASSERT_TRUE(column.measured);
}

static void
expect_threads(const char *thread, const char *metric, bool first, const char *name)
{
	struct ingest_options options = {.first_threads = false};

	run_capture_select_threads(thread, metric, &options);
	CU_ASSERT_EQUAL(options.first_threads, first);
	UNIT_STR_EQ(options.comm ? options.comm : "", name);
}

static void
wall_is_the_main_threads_unless_others_are_named(void)
{
	expect_threads("auto", "wall", true, "");
	expect_threads("auto", "offcpu", false, "");
	expect_threads("main", "locks", true, "");
	expect_threads("all", "wall", false, "");
	expect_threads("worker 1", "wall", false, "worker 1");
	/* For metrics that are no times, only the whole program's cost is known. */
	expect_threads("worker 1", "cpu", false, "");
	expect_threads("main", "alloc", false, "");
}

/* A period of 0 would let the kernel vary it. */
static void
rare_events_are_all_sampled(void)
{
	CU_ASSERT_EQUAL(run_capture_period(1e9, 1000), 1000000);
	CU_ASSERT_EQUAL(run_capture_period(1500, 1000), 1);
	CU_ASSERT_EQUAL(run_capture_period(3, 997), 1);
	CU_ASSERT_EQUAL(run_capture_period(0, 997), 1);
}

static const struct unit_case cases[] = {
	{"rare_events_are_all_sampled", rare_events_are_all_sampled},
	{"a_capture_and_its_profile_make_one_run", a_capture_and_its_profile_make_one_run},
	{"wall_is_the_main_threads_unless_others_are_named",
		wall_is_the_main_threads_unless_others_are_named},
	{NULL, NULL},
};

void
suite_measurement_run_capture(void)
{
	unit_suite("measurement/run_capture", cases);
}
