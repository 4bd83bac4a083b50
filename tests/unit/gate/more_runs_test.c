#include "gate/more_runs.h"

#include "unit.h"

#include <math.h>

void suite_gate_more_runs(void);

/* What there is after `first` runs, and `fresh` ones, all that were wanted. */
static struct run_plan
after(unsigned first, unsigned fresh)
{
	return (struct run_plan){.wanted = {first, fresh}, .taken = {first, fresh}, .most = 30};
}

static unsigned
to_confirm(double change, double error)
{
	struct finding finding = finding_of(FINDING_FUNCTIONS, "f");
	const struct verdict verdict = {.findings = &finding, .nfindings = 1, .unconfirmed = true};
	struct run_plan plan = after(10, 0);

	finding.unconfirmed = true;
	finding.fail_at = 0.03;
	finding.effect.tested = true;
	finding.effect.change = change;
	finding.effect.standard_error = error;
	CU_ASSERT_TRUE(more_runs_wanted(&plan, COMPARISON_CONFIRM, &verdict));
	return plan.wanted[COMPARISON_CONFIRM];
}

static void
a_close_call_is_confirmed_by_more_runs(void)
{
	CU_ASSERT_EQUAL(to_confirm(0.12, 0.01), 10);
	/* 0.8 ln 1.07 - ln 1.03 is 0.0246: (0.04 / 0.0246) squared is 2.65. */
	CU_ASSERT_EQUAL(to_confirm(0.07, 0.02), 27);
	CU_ASSERT_EQUAL(to_confirm(0.05, 0.02), 30);
	/* A fifth less would be below the threshold. */
	CU_ASSERT_EQUAL(to_confirm(0.035, 0.001), 30);
}

static unsigned
to_decide(double more, unsigned wanted, unsigned taken)
{
	const struct verdict verdict = {.more_runs = more};
	struct run_plan plan = after(wanted, 0);

	plan.taken[COMPARISON_SCREEN] = taken;
	more_runs_wanted(&plan, COMPARISON_SCREEN, &verdict);
	return plan.wanted[COMPARISON_SCREEN];
}

static void
what_is_open_gets_what_it_needs_up_to_a_limit(void)
{
	CU_ASSERT_EQUAL(to_decide(0, 10, 10), 10);
	CU_ASSERT_EQUAL(to_decide(1, 10, 10), 13);
	CU_ASSERT_EQUAL(to_decide(6, 10, 10), 16);
	CU_ASSERT_EQUAL(to_decide(15, 10, 10), 20);
	CU_ASSERT_EQUAL(to_decide(15, 20, 20), 30);
	CU_ASSERT_EQUAL(to_decide(80, 10, 10), 20);
	/* Far more than may be added. */
	CU_ASSERT_EQUAL(to_decide(81, 10, 10), 10);
	CU_ASSERT_EQUAL(to_decide(5, 30, 30), 30);
	/* Time or luck ran out before. */
	CU_ASSERT_EQUAL(to_decide(5, 12, 10), 12);
}

static unsigned
to_confirm_again(double more, unsigned wanted, unsigned taken)
{
	const struct verdict verdict = {.more_fresh_runs = more, .more_runs = 5};
	struct run_plan plan = after(10, wanted);

	plan.taken[COMPARISON_CONFIRM] = taken;
	more_runs_wanted(&plan, COMPARISON_CONFIRM, &verdict);
	return plan.wanted[COMPARISON_CONFIRM];
}

static void
what_fresh_runs_leave_open_gets_all_that_there_may_be(void)
{
	CU_ASSERT_EQUAL(to_confirm_again(0, 12, 12), 12);
	CU_ASSERT_EQUAL(to_confirm_again(3, 12, 12), 30);
	CU_ASSERT_EQUAL(to_confirm_again(3, 30, 30), 30);
	CU_ASSERT_EQUAL(to_confirm_again(73, 12, 12), 12);
	CU_ASSERT_EQUAL(to_confirm_again(3, 12, 11), 12);
}

static void
nothing_is_confirmed_that_would_not_fail(void)
{
	const struct verdict verdict = {.more_runs = 5};
	struct run_plan plan = after(10, 0);

	CU_ASSERT_FALSE(more_runs_wanted(&plan, COMPARISON_CONFIRM, &verdict));
	CU_ASSERT_EQUAL(plan.wanted[COMPARISON_CONFIRM], 0);
}

void
suite_gate_more_runs(void)
{
	static const struct unit_case cases[] = {
		{"a_close_call_is_confirmed_by_more_runs", a_close_call_is_confirmed_by_more_runs},
		{"what_is_open_gets_what_it_needs_up_to_a_limit",
			what_is_open_gets_what_it_needs_up_to_a_limit},
		{"what_fresh_runs_leave_open_gets_all_that_there_may_be",
			what_fresh_runs_leave_open_gets_all_that_there_may_be},
		{"nothing_is_confirmed_that_would_not_fail",
			nothing_is_confirmed_that_would_not_fail},
		{NULL, NULL},
	};

	unit_suite("gate/more_runs", cases);
}
