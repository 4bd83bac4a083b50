#include "pipeline/more_runs.h"

#include "unit.h"

#include <math.h>

void suite_pipeline_more_runs(void);

static const struct workload some = {.name = "some", .capture = {.runs = 10, .max_runs = 30}};

static unsigned
to_confirm(double change, double error)
{
	struct finding finding = finding_of("functions", "f");
	const struct measurement m = {.workload = &some, .taken = {10}};
	const struct verdict verdict = {.findings = &finding, .nfindings = 1, .unconfirmed = true};

	finding.unconfirmed = true;
	finding.fail_at = 0.03;
	finding.effect.tested = true;
	finding.effect.change = change;
	finding.effect.standard_error = error;
	return more_runs_to_confirm(&m, &verdict);
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
	const struct measurement m = {.workload = &some, .wanted = {wanted}, .taken = {taken}};
	const struct verdict verdict = {.more_runs = more};

	return more_runs_to_decide(&m, &verdict);
}

static void
what_is_open_gets_what_it_needs_up_to_a_limit(void)
{
	CU_ASSERT_EQUAL(to_decide(0, 10, 10), 10);
	CU_ASSERT_EQUAL(to_decide(1, 10, 10), 13);
	CU_ASSERT_EQUAL(to_decide(6, 10, 10), 16);
	CU_ASSERT_EQUAL(to_decide(15, 10, 10), 20);
	CU_ASSERT_EQUAL(to_decide(15, 20, 20), 30);
	/* No such number is allowed, or time or luck ran out before. */
	CU_ASSERT_EQUAL(to_decide(31, 10, 10), 10);
	CU_ASSERT_EQUAL(to_decide(5, 30, 30), 30);
	CU_ASSERT_EQUAL(to_decide(5, 12, 10), 12);
}

void
suite_pipeline_more_runs(void)
{
	static const struct unit_case cases[] = {
		{"a_close_call_is_confirmed_by_more_runs", a_close_call_is_confirmed_by_more_runs},
		{"what_is_open_gets_what_it_needs_up_to_a_limit",
			what_is_open_gets_what_it_needs_up_to_a_limit},
		{NULL, NULL},
	};

	unit_suite("pipeline/more_runs", cases);
}
