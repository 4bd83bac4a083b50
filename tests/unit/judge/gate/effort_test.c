#include "gate/effort.h"

#include "compare/model.h"
#include "unit.h"

#include <math.h>

void suite_gate_effort(void);

#define NTESTS 20

static struct effect
effect_with(double change, double error, double spread)
{
	struct effect effect;

	effect_clear(&effect);
	effect.tested = true;
	effect.change = change;
	effect.standard_error = error;
	effect.spread = spread;
	effect.df = INFINITY;
	effect.detectable = model_detectable(0, error, INFINITY, 0.05 / NTESTS);
	return effect;
}

static const struct effort_runs paired = {.before = 10, .after = 10, .adds_before = true};
static const struct effort_runs stored = {.before = 10, .after = 10};

static void
runs_go_with_the_square_of_the_error(void)
{
	/* Nothing changed: 1.645 errors must come below ln 1.05, which takes 0.02966. */
	const struct effect unchanged = effect_with(0, 0.0593, 0);
	/* At 4.9 % exclusion is far away: 4.668 errors must come to ln 1.05, 0.01045. */
	const struct effect near = effect_with(0.049, 0.02090, 0);

	CU_ASSERT_EQUAL(effort_more_runs(&unchanged, 0.05, 0.05, &paired), 30);
	CU_ASSERT_DOUBLE_EQUAL(effort_more_runs(&near, 0.05, 0.05, &paired), 30, 1);
}

/* With the baseline as it is, its own half of the variance stays. */
static void
the_other_side_and_the_days_set_a_limit(void)
{
	const struct effect some = effect_with(0, 0.04, 0);
	const struct effect much = effect_with(0, 0.0593, 0);
	const struct effect days = effect_with(0, 0.04, 0.03);

	/* 0.02966 squared less half of 0.04 squared is 0.0000797: 100.4 runs in all. */
	CU_ASSERT_EQUAL(effort_more_runs(&some, 0.05, 0.05, &stored), 91);
	CU_ASSERT(isinf(effort_more_runs(&much, 0.05, 0.05, &stored)));
	CU_ASSERT(isinf(effort_more_runs(&days, 0.05, 0.05, &paired)));
}

static void
an_estimate_above_what_is_asked_is_to_become_significant(void)
{
	/* 3.023 errors of ln 1.06: 0.01927. */
	const struct effect above = effect_with(0.06, 0.03855, 0);

	CU_ASSERT_DOUBLE_EQUAL(effort_more_runs(&above, 0.05, 0.05, &paired), 30, 1);
}

static void
exact_effects_need_no_more_runs(void)
{
	const struct effect exact = effect_with(0.06, 0, 0);

	CU_ASSERT(isinf(effort_more_runs(&exact, 0.05, 0.05, &paired)));
}

/* Among alternating runs the side that has fewer counts. */
static void
sides_get_as_many_as_the_smaller_one_needs(void)
{
	const struct effort_runs uneven[] = {{.before = 10, .after = 20, .adds_before = true},
		{.before = 20, .after = 10, .adds_before = true}};
	const struct effect unchanged = effect_with(0, 0.0593, 0);

	for (size_t i = 0; i < 2; i++)
		CU_ASSERT_EQUAL(effort_more_runs(&unchanged, 0.05, 0.05, &uneven[i]), 30);
}

static void
an_estimate_of_the_threshold_itself_is_to_become_significant(void)
{
	/* 3.023 errors of ln 1.05: 0.01614. */
	const struct effect at = effect_with(0.05, 0.03227, 0);

	CU_ASSERT_DOUBLE_EQUAL(effort_more_runs(&at, 0.05, 0.05, &paired), 30, 1);
}

/* The same with a change of up to 1 % that counts as none. */
static struct effect
with_margin(double change, double error)
{
	struct effect effect = effect_with(change, error, 0);

	effect.margin = 0.01;
	effect.detectable = expm1(log1p(0.01) + log1p(effect.detectable));
	return effect;
}

static void
a_margin_leaves_less_to_detect(void)
{
	/* 4.668 errors of ln 1.05 - ln 1.01, 0.00832; 3.023 of ln 1.06 - ln 1.01, 0.01598. */
	const struct effect near = with_margin(0.049, 0.01664);
	const struct effect above = with_margin(0.06, 0.03197);

	CU_ASSERT_DOUBLE_EQUAL(effort_more_runs(&near, 0.05, 0.05, &paired), 30, 1);
	CU_ASSERT_DOUBLE_EQUAL(effort_more_runs(&above, 0.05, 0.05, &paired), 30, 1);
}

/* By Python's statistics.NormalDist, for 20 tests. */
static void
the_chance_is_that_of_passing_and_of_failing(void)
{
	static const struct {
		double change;
		double error;
		double now;
		double most;
		double chance;
	} cases[] = {
		{0, 0.0593, 10, 40, 0.540603928620},
		{0.04, 0.02, 5, 15, 0.560878060293},
		{0.049, 0.005, 10, 30, 0.583992480960},
		{0.12, 0.03, 5, 15, 0.993664204051},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct effect effect = effect_with(cases[i].change, cases[i].error, 0);

		CU_ASSERT_DOUBLE_EQUAL(
			effort_chance(&effect, 0.05, 0.05, cases[i].now, cases[i].most),
			cases[i].chance, 1e-9);
	}
	const struct effect unchanged = effect_with(0, 0.0593, 0);

	CU_ASSERT_EQUAL(effort_chance(&unchanged, 0.05, 0.05, 10, 10), 0);
}

void
suite_gate_effort(void)
{
	static const struct unit_case cases[] = {
		{"the_chance_is_that_of_passing_and_of_failing",
			the_chance_is_that_of_passing_and_of_failing},
		{"runs_go_with_the_square_of_the_error", runs_go_with_the_square_of_the_error},
		{"the_other_side_and_the_days_set_a_limit",
			the_other_side_and_the_days_set_a_limit},
		{"an_estimate_above_what_is_asked_is_to_become_significant",
			an_estimate_above_what_is_asked_is_to_become_significant},
		{"exact_effects_need_no_more_runs", exact_effects_need_no_more_runs},
		{"sides_get_as_many_as_the_smaller_one_needs",
			sides_get_as_many_as_the_smaller_one_needs},
		{"an_estimate_of_the_threshold_itself_is_to_become_significant",
			an_estimate_of_the_threshold_itself_is_to_become_significant},
		{"a_margin_leaves_less_to_detect", a_margin_leaves_less_to_detect},
		{NULL, NULL},
	};

	unit_suite("gate/effort", cases);
}
