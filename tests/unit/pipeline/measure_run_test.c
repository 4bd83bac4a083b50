#include "pipeline/measurement.h"

#include "unit.h"

void suite_pipeline_measure_run(void);

static void
what_was_captured_and_what_was_read_make_one_run(void)
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

	measure_merge(&column, &captured);
	CU_ASSERT_EQUAL(column.samples, 10);
	CU_ASSERT_EQUAL(column.broken_stacks, 3);
	CU_ASSERT_EQUAL(column.truncated_stacks, 2);
	CU_ASSERT_EQUAL(column.unknown_frames, 1);
	CU_ASSERT_EQUAL(column.cpu_ns, 77);
	CU_ASSERT_EQUAL(column.wall_ns, 88);
	CU_ASSERT_EQUAL(column.lost, 5);
	CU_ASSERT_TRUE(column.measured);
}

static const struct unit_case cases[] = {
	{"what_was_captured_and_what_was_read_make_one_run",
		what_was_captured_and_what_was_read_make_one_run},
	{NULL, NULL},
};

void
suite_pipeline_measure_run(void)
{
	unit_suite("pipeline/measure_run", cases);
}
