#include "gate/plan.h"

#include "unit.h"

#include <math.h>

void suite_gate_plan(void);

static void
expect_text(const struct plan *plan, const char *expected)
{
	struct buf text = {0};

	plan_put(plan, &text);
	UNIT_STR_EQ(buf_text(&text), expected);
	buf_release(&text);
}

static void
the_time_for_counting_is_said_where_it_is_apart(void)
{
	struct plan plan = {
		.kind = PLAN_PAIRED, .reason = "with main", .seconds = 25.4, .count_seconds = 12};

	expect_text(&plan,
		"paired: with main; about 25.0 s; counting instructions, if needed, about 12.0 s");
	plan.count_limit_s = 3000;
	expect_text(&plan,
		"paired: with main; about 25.0 s; counting instructions, if needed, about "
		"12.0 s (a run at most 50 min 0 s of CPU time)");
	plan.count_limit_s = 0;
	plan.seconds = NAN;
	expect_text(&plan, "paired: with main; how long it takes is not known; counting "
			   "instructions, if needed, about 12.0 s");
	plan.count_seconds = 0;
	expect_text(&plan, "paired: with main; how long it takes is not known");
	plan.reason = "";
	expect_text(&plan, "paired; how long it takes is not known");
}

static void
counting_that_is_all_of_it_is_said_once(void)
{
	const struct plan counts = {
		.kind = PLAN_COUNTS, .reason = "none", .seconds = 8.25, .count_seconds = 8.25};
	const struct plan same = {
		.kind = PLAN_SAME, .reason = "all", .seconds = NAN, .count_seconds = 8};
	const struct plan unreached = {.kind = PLAN_UNREACHED,
		.reason = "cannot reach the change: 1 function changed",
		.seconds = NAN};

	expect_text(&counts, "stored counts: none; about 8.25 s");
	expect_text(&same, "same program: all");
	expect_text(&unreached, "not reached: cannot reach the change: 1 function changed");
}

void
suite_gate_plan(void)
{
	static const struct unit_case cases[] = {
		{"the_time_for_counting_is_said_where_it_is_apart",
			the_time_for_counting_is_said_where_it_is_apart},
		{"counting_that_is_all_of_it_is_said_once",
			counting_that_is_all_of_it_is_said_once},
		{NULL, NULL},
	};

	unit_suite("gate/plan", cases);
}
