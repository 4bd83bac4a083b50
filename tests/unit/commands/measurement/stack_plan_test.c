#include "measurement/stack_plan.h"

#include "unit.h"

static struct stack_survey
survey_of(uint64_t stacks, uint64_t alike)
{
	struct stack_survey survey = {.stacks = stacks, .complete = stacks, .alike = alike};

	survey.reached[3] = stacks;
	return survey;
}

static struct stack_plan
settled(const char *callgraph, uint32_t bytes, const char *before, struct stack_survey survey)
{
	struct stack_plan plan;

	stack_plan_init(&plan, callgraph, bytes, before);
	if (plan.to_be_tried)
		stack_plan_decide(&plan, &survey);
	return plan;
}

static void
test_told(void)
{
	struct stack_plan plan;

	stack_plan_init(&plan, "none", 0, NULL);
	CU_ASSERT_FALSE(plan.callchain || plan.stack_bytes > 0 || plan.to_be_tried);
	stack_plan_init(&plan, "fp", 0, "dwarf");
	CU_ASSERT_TRUE(plan.callchain && plan.stack_bytes == 0 && !plan.to_be_tried);
	stack_plan_init(&plan, "dwarf", 8192, NULL);
	CU_ASSERT_TRUE(plan.callchain && plan.stack_bytes == 8192 && !plan.to_be_tried);
}

static void
test_trial(void)
{
	struct stack_plan plan;

	stack_plan_init(&plan, "auto", 0, NULL);
	CU_ASSERT_TRUE(plan.to_be_tried && plan.stack_bytes == CAPTURE_STACK_MAX);
	plan = settled("auto", 0, NULL, survey_of(1000, 1000));
	CU_ASSERT_TRUE(plan.callchain && plan.stack_bytes == 0);
	stack_plan_release(&plan);
	plan = settled("auto", 0, NULL, survey_of(1000, 500));
	CU_ASSERT_EQUAL(plan.stack_bytes, 8192);
	UNIT_CONTAINS(plan.why, "50.0 % of the stacks are the same with both");
	UNIT_CONTAINS(plan.why, "copying 8 KiB of each stack");
	stack_plan_release(&plan);
	plan = settled("dwarf", 0, NULL, survey_of(1000, 1000));
	CU_ASSERT_EQUAL(plan.stack_bytes, 8192);
	stack_plan_release(&plan);
}

static void
test_baseline(void)
{
	struct stack_plan plan = settled("auto", 0, "fp", survey_of(1000, 0));

	CU_ASSERT_EQUAL(plan.stack_bytes, 0);
	UNIT_STR_EQ(plan.why, "the same as in the baseline");
	stack_plan_release(&plan);
	plan = settled("auto", 0, "dwarf", survey_of(1000, 1000));
	CU_ASSERT_EQUAL(plan.stack_bytes, 8192);
	stack_plan_release(&plan);
}

static void
test_too_few(void)
{
	struct stack_plan plan = settled("auto", 0, NULL, survey_of(3, 3));

	CU_ASSERT_EQUAL(plan.stack_bytes, 16384);
	UNIT_CONTAINS(plan.why, "too few samples");
	stack_plan_release(&plan);
}

static void
test_counted(void)
{
	struct stack_plan plan;

	stack_plan_init(&plan, "auto", 0, NULL);
	stack_plan_settle(&plan);
	CU_ASSERT_EQUAL(plan.stack_bytes, 8192);
	CU_ASSERT(!plan.to_be_tried);
	CU_ASSERT(stack_plan_halve(&plan) && stack_plan_halve(&plan) && stack_plan_halve(&plan));
	CU_ASSERT_EQUAL(plan.stack_bytes, 1024);
	CU_ASSERT(!stack_plan_halve(&plan));
	stack_plan_release(&plan);
	stack_plan_init(&plan, "auto", 2048, NULL);
	stack_plan_settle(&plan);
	CU_ASSERT_EQUAL(plan.stack_bytes, 2048);
	CU_ASSERT(!stack_plan_halve(&plan));
	stack_plan_release(&plan);
	stack_plan_init(&plan, "none", 0, NULL);
	stack_plan_settle(&plan);
	CU_ASSERT_EQUAL(plan.stack_bytes, 0);
	stack_plan_release(&plan);
}

static const struct unit_case cases[] = {
	{"what_is_counted_needs_no_trial", test_counted},
	{"what_the_workload_says_is_done", test_told},
	{"auto_takes_frame_pointers_only_where_they_hold", test_trial},
	{"a_baseline_decides_for_auto", test_baseline},
	{"too_few_samples_copy_a_moderate_stack", test_too_few},
	{NULL, NULL},
};

void suite_measurement_stack_plan(void);

void
suite_measurement_stack_plan(void)
{
	unit_suite("measurement/stack_plan", cases);
}
