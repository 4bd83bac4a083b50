/* Sides that leave something to be desired: nothing in them, one run, one function. */
#include "compare/comparison.h"

#include "compare/adjust.h"
#include "compare/comparison_fixture.h"
#include "unit.h"

#include <math.h>

void suite_compare_comparison_sides(void);

static void
check_nothing_tested(const struct profile *before, const struct profile *after)
{
	struct comparison comparison;

	comparison_make(&comparison, before, after, &plain_options);
	comparison_adjust_alone(&comparison, 0.05);
	CU_ASSERT_FALSE(comparison.whole.tested);
	for (size_t i = 0; i < comparison.nframes; i++)
		CU_ASSERT_FALSE(comparison.self[i].tested);
	comparison_release(&comparison);
}

static void
empty_sides_are_compared_without_a_test(void)
{
	const double weights[] = {600, 400};
	const double zero[] = {0, 0};
	struct profile none;
	struct profile zeros;
	struct profile some;

	profile_init(&none);
	profile_init(&zeros);
	profile_init(&some);
	add_run(&zeros, zero, 2, 0);
	add_run(&zeros, zero, 2, 0);
	for (int i = 0; i < 3; i++)
		add_run(&some, weights, 2, 1e9);
	check_nothing_tested(&none, &none);
	check_nothing_tested(&none, &some);
	check_nothing_tested(&some, &none);
	check_nothing_tested(&zeros, &some);
	check_nothing_tested(&some, &zeros);
	profile_release(&none);
	profile_release(&zeros);
	profile_release(&some);
}

static void
a_zero_column_weighs_nothing(void)
{
	const double weights[] = {600, 400};
	const double zero[] = {0, 0};
	struct profile with;
	struct profile without;
	struct comparison a;
	struct comparison b;

	profile_init(&with);
	profile_init(&without);
	for (int i = 0; i < 4; i++) {
		add_run(&with, weights, 2, 1e9);
		add_run(&without, weights, 2, 1e9);
	}
	add_run(&with, zero, 2, 5e9);
	comparison_make(&a, &with, &without, &plain_options);
	comparison_make(&b, &without, &without, &plain_options);
	CU_ASSERT(same_effect(effect_of(&a, "f00"), effect_of(&b, "f00")));
	CU_ASSERT(same_effect(&a.whole, &b.whole));
	CU_ASSERT_EQUAL(a.whole.change, 0);
	comparison_release(&a);
	comparison_release(&b);
	profile_release(&with);
	profile_release(&without);
}

static void
one_run_a_side_has_the_binomial_floor_and_the_spread(void)
{
	const double before[] = {100, 900};
	const double after[] = {150, 850};
	struct profile sides[2];
	struct comparison comparison;

	profile_init(&sides[0]);
	profile_init(&sides[1]);
	add_run(&sides[0], before, 2, 0);
	add_run(&sides[1], after, 2, 0);
	comparison_make(&comparison, &sides[0], &sides[1], &plain_options);
	const struct effect *effect = effect_of(&comparison, "f00");

	CU_ASSERT_TRUE(effect->tested);
	UNIT_NEAR(effect->standard_error,
		sqrt(1 / 100.0 + 1 / 150.0 + 1 / 900.0 + 1 / 850.0 + 2 * 0.02 * 0.02), 1e-12);
	CU_ASSERT(isinf(effect->df));
	CU_ASSERT(isnan(effect->overdispersion));
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

static void
new_and_gone_functions_have_no_ratio(void)
{
	const double before[] = {500, 300, 200, 0};
	const double after[] = {500, 300, 0, 200};
	struct profile sides[2];
	struct comparison comparison;

	profile_init(&sides[0]);
	profile_init(&sides[1]);
	for (int i = 0; i < 4; i++) {
		add_run(&sides[0], before, 4, 1e9);
		add_run(&sides[1], after, 4, 1e9);
	}
	comparison_make(&comparison, &sides[0], &sides[1], &plain_options);
	CU_ASSERT_FALSE(effect_of(&comparison, "f02")->tested);
	CU_ASSERT_FALSE(effect_of(&comparison, "f03")->tested);
	CU_ASSERT(comparison_is_gone(&comparison, effect_of(&comparison, "f02")));
	CU_ASSERT(comparison_is_new(&comparison, effect_of(&comparison, "f03")));
	CU_ASSERT_FALSE(comparison_is_new(&comparison, effect_of(&comparison, "f00")));
	UNIT_NEAR(effect_of(&comparison, "f00")->change, 0, 1e-12);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

/* f00 has 80 % and grows by 30 %: the other one must not be said to have shrunk instead. */
static void
a_dominant_function_is_not_its_own_yardstick(void)
{
	const double before[] = {8000, 1200, 800};
	const double after[] = {10400, 1200, 800};
	struct profile sides[2];
	struct comparison comparison;

	profile_init(&sides[0]);
	profile_init(&sides[1]);
	for (int i = 0; i < 5; i++) {
		add_run(&sides[0], before, 3, 1e9);
		add_run(&sides[1], after, 3, 1.24e9);
	}
	comparison_make(&comparison, &sides[0], &sides[1], &plain_options);
	UNIT_NEAR(effect_of(&comparison, "f00")->change, 0.3, 1e-9);
	UNIT_NEAR(effect_of(&comparison, "f01")->change, 0, 1e-9);
	UNIT_NEAR(comparison.model.machine_speed, 1, 1e-9);
	UNIT_NEAR(comparison.model.reference_share, 0.2, 1e-9);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

static void
a_program_of_one_function_is_judged_by_plain_cost(void)
{
	const double weights[] = {9900, 100};
	struct profile sides[2];
	struct comparison comparison;

	profile_init(&sides[0]);
	profile_init(&sides[1]);
	for (int i = 0; i < 5; i++) {
		add_run(&sides[0], weights, 2, 1e9);
		add_run(&sides[1], weights, 2, 1.3e9);
	}
	comparison_make(&comparison, &sides[0], &sides[1], &plain_options);
	const struct effect *effect = effect_of(&comparison, "f00");

	CU_ASSERT_TRUE(effect->tested);
	CU_ASSERT_FALSE(effect->relative);
	UNIT_NEAR(effect->change, 0.3, 1e-12);
	UNIT_NEAR(effect->spread, 0.05 * M_SQRT2, 1e-12);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

void
suite_compare_comparison_sides(void)
{
	static const struct unit_case cases[] = {
		{"empty_sides_are_compared_without_a_test",
			empty_sides_are_compared_without_a_test},
		{"a_zero_column_weighs_nothing", a_zero_column_weighs_nothing},
		{"one_run_a_side_has_the_binomial_floor_and_the_spread",
			one_run_a_side_has_the_binomial_floor_and_the_spread},
		{"new_and_gone_functions_have_no_ratio", new_and_gone_functions_have_no_ratio},
		{"a_dominant_function_is_not_its_own_yardstick",
			a_dominant_function_is_not_its_own_yardstick},
		{"a_program_of_one_function_is_judged_by_plain_cost",
			a_program_of_one_function_is_judged_by_plain_cost},
		{NULL, NULL},
	};

	unit_suite("compare/comparison_sides", cases);
}
