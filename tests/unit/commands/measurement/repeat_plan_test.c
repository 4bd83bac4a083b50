#include "measurement/repeat_plan.h"

#include "unit.h"

void suite_measurement_repeat_plan(void);

/* The number of executions after a run as planned, whose executions take so long. */
static unsigned
executions_after(struct repeat_plan *plan, double execution_s)
{
	repeat_plan_decide(plan, execution_s * plan->executions, execution_s * plan->executions);
	return plan->executions;
}

static void
a_run_takes_about_a_second(void)
{
	static const struct {
		double execution_s;
		unsigned executions;
	} cases[] = {{0.003, 333}, {0.02, 50}, {0.3, 3}, {0.49, 2}, {0.51, 1}, {1.2, 1}, {90, 1},
		{1e-6, 10000}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct repeat_plan plan;

		repeat_plan_init(&plan, 0, 0);
		CU_ASSERT_EQUAL(plan.executions, 1);
		CU_ASSERT(plan.to_be_tried);
		CU_ASSERT_EQUAL(executions_after(&plan, cases[i].execution_s), cases[i].executions);
	}
}

static void
a_command_that_waits_is_executed_less_often(void)
{
	struct repeat_plan plan;

	repeat_plan_init(&plan, 0, 0);
	repeat_plan_decide(&plan, 0.01, 0.02);
	CU_ASSERT_EQUAL(plan.executions, 100);
	repeat_plan_init(&plan, 0, 0);
	repeat_plan_decide(&plan, 0.01, 0.3);
	CU_ASSERT_EQUAL(plan.executions, 10);
	/* An execution without measurable CPU time, and one with eight threads. */
	repeat_plan_init(&plan, 0, 0);
	repeat_plan_decide(&plan, 0, 0.3);
	CU_ASSERT_EQUAL(plan.executions, 10);
	repeat_plan_init(&plan, 0, 0);
	repeat_plan_decide(&plan, 0.8, 0.1);
	CU_ASSERT_EQUAL(plan.executions, 1);
}

static void
a_cold_first_execution_is_tried_again_with_more(void)
{
	struct repeat_plan plan;

	repeat_plan_init(&plan, 0, 0);
	CU_ASSERT_EQUAL(executions_after(&plan, 0.02), 50);
	CU_ASSERT(plan.to_be_tried);
	CU_ASSERT_EQUAL(executions_after(&plan, 0.004), 250);
	CU_ASSERT(plan.to_be_tried);
	CU_ASSERT_EQUAL(executions_after(&plan, 0.003), 333);
	CU_ASSERT(!plan.to_be_tried);
}

static void
a_long_execution_is_tried_no_more(void)
{
	struct repeat_plan plan;

	repeat_plan_init(&plan, 0, 0);
	executions_after(&plan, 1.2);
	CU_ASSERT(!plan.to_be_tried);
}

static void
a_number_that_was_told_stays(void)
{
	struct repeat_plan plan;

	repeat_plan_init(&plan, 60, 40);
	CU_ASSERT(!plan.to_be_tried);
	CU_ASSERT_EQUAL(executions_after(&plan, 5), 60);
	CU_ASSERT(!plan.to_be_tried);
}

static void
the_number_of_the_baseline_is_taken_where_it_still_fits(void)
{
	struct repeat_plan plan;

	repeat_plan_init(&plan, 0, 60);
	CU_ASSERT_EQUAL(executions_after(&plan, 0.02), 60);
	CU_ASSERT_EQUAL(executions_after(&plan, 0.03), 60);
	CU_ASSERT_EQUAL(executions_after(&plan, 0.1), 10);
	repeat_plan_init(&plan, 0, 1);
	CU_ASSERT_EQUAL(executions_after(&plan, 0.003), 333);
}

void
suite_measurement_repeat_plan(void)
{
	static const struct unit_case cases[] = {
		{"a_run_takes_about_a_second", a_run_takes_about_a_second},
		{"a_command_that_waits_is_executed_less_often",
			a_command_that_waits_is_executed_less_often},
		{"a_cold_first_execution_is_tried_again_with_more",
			a_cold_first_execution_is_tried_again_with_more},
		{"a_long_execution_is_tried_no_more", a_long_execution_is_tried_no_more},
		{"a_number_that_was_told_stays", a_number_that_was_told_stays},
		{"the_number_of_the_baseline_is_taken_where_it_still_fits",
			the_number_of_the_baseline_is_taken_where_it_still_fits},
		{NULL, NULL},
	};

	unit_suite("measurement/repeat_plan", cases);
}
