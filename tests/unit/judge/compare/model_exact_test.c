/*
 * What is counted: the same program counts the same, but for addresses. Reference values:
 * tests/unit/judge/compare/reference.py.
 */
#include "compare/comparison.h"

#include "compare/adjust.h"
#include "compare/comparison_fixture.h"
#include "unit.h"

#include <math.h>

void suite_compare_model_exact(void);

static const struct comparison_options exact_options = {
	.mode = COMPARISON_EXACT, .alpha = 0.05, .min_share = 0.01};

struct expected {
	double change;
	double error;
	double df;
	double p;
};

static const struct expected counted = {
	8.1632637516371176e-07, 7.3318011293927694e-07, 3.8850599233736127, 0.3296354780884486};

/* Adds `nruns` of instruction counts, as a profile of them has: no samples. */
static void
count_side(struct profile *side, const double *counts, size_t n, size_t nruns)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += counts[i];
	profile_init(side);
	side->unit = strtab_intern_str(&side->strings, "instructions");
	side->metric = side->unit;
	for (size_t run = 0; run < nruns; run++)
		add_run(side, counts, n, sum);
}

static void
compare_counts(
	struct comparison *comparison, const struct profile *before, const struct profile *after)
{
	comparison_make(comparison, before, after, &exact_options);
	comparison_adjust_alone(comparison, 0.05);
}

static void
check_certain(const struct effect *effect, double change)
{
	CU_ASSERT_TRUE(effect->tested);
	UNIT_NEAR(effect->change, change, 1e-13);
	CU_ASSERT(isinf(effect->df));
	CU_ASSERT_EQUAL(effect->low, effect->change);
	CU_ASSERT_EQUAL(effect->high, effect->change);
	CU_ASSERT_EQUAL(effect->p_adjusted, change == 0 ? 1 : 0);
	CU_ASSERT_EQUAL(effect->detectable, 0);
	CU_ASSERT_EQUAL(effect->standard_error, 0);
}

static void
one_run_a_side_is_enough(void)
{
	const double before[] = {20000000, 29000000, 1000000};
	const double after[] = {20000000, 29029000, 970000};
	struct profile sides[2];
	struct comparison comparison;

	count_side(&sides[0], before, 3, 1);
	count_side(&sides[1], after, 3, 1);
	compare_counts(&comparison, &sides[0], &sides[1]);
	check_certain(effect_of(&comparison, "f00"), 0);
	check_certain(effect_of(&comparison, "f01"), 0.001);
	check_certain(effect_of(&comparison, "f02"), -0.03);
	check_certain(&comparison.whole, -1e3 / 50e6);
	CU_ASSERT_EQUAL(effect_of(&comparison, "f01")->after_cost, 29029000);
	CU_ASSERT_EQUAL(comparison.whole.before_cost, 50000000);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

/* Three runs and seven: means of equal counts are equal to the last bit. */
static void
identical_counts_are_no_growth_whatever_the_number_of_runs(void)
{
	const double counts[] = {12345678901, 98765432, 777777777};
	struct profile sides[2];
	struct comparison comparison;

	count_side(&sides[0], counts, 3, 3);
	count_side(&sides[1], counts, 3, 7);
	compare_counts(&comparison, &sides[0], &sides[1]);
	check_certain(effect_of(&comparison, "f00"), 0);
	check_certain(effect_of(&comparison, "f02"), 0);
	check_certain(&comparison.whole, 0);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

/* Parts of counts, as of nodes that share them: the means of three and of seven are rounded apart.
 */
static void
equal_fractions_are_no_growth_though_their_sums_are_rounded(void)
{
	const double counts[] = {100.1, 200.2, 700.7};
	struct profile sides[2];
	struct comparison comparison;

	count_side(&sides[0], counts, 3, 3);
	count_side(&sides[1], counts, 3, 7);
	compare_counts(&comparison, &sides[0], &sides[1]);
	check_certain(effect_of(&comparison, "f00"), 0);
	check_certain(effect_of(&comparison, "f01"), 0);
	check_certain(effect_of(&comparison, "f02"), 0);
	check_certain(&comparison.whole, 0);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

/*
 * For 49 M instructions some 40 in ld.so depend on where it was loaded. Every comparison of five
 * runs with five leaves them be.
 */
static void
the_spread_of_addresses_is_no_growth(void)
{
	struct rng rng = {.state = 23};
	size_t significant = 0;

	for (int suite = 0; suite < 1000; suite++) {
		struct profile sides[2];
		struct comparison comparison;

		for (int side = 0; side < 2; side++) {
			profile_init(&sides[side]);
			for (int run = 0; run < 5; run++) {
				const double counts[] = {
					48000000, 1000000 + round(20 * rng_normal(&rng))};

				add_run(&sides[side], counts, 2, counts[0] + counts[1]);
			}
		}
		compare_counts(&comparison, &sides[0], &sides[1]);
		significant += comparison.whole.p_adjusted <= 0.05;
		CU_ASSERT_EQUAL(effect_of(&comparison, "f00")->p_adjusted, 1);
		comparison_release(&comparison);
		profile_release(&sides[0]);
		profile_release(&sides[1]);
	}
	CU_ASSERT(significant <= 5);
}

/* A thousandth is far beyond such a spread. */
static void
a_thousandth_shows_beyond_the_spread(void)
{
	const double noise[] = {-31, 12, 40};
	struct profile sides[2];
	struct comparison comparison;

	for (int side = 0; side < 2; side++) {
		profile_init(&sides[side]);
		for (int run = 0; run < 3; run++) {
			const double counts[] = {
				48000000 * (side == 1 ? 1.001 : 1), 1000000 + noise[run]};

			add_run(&sides[side], counts, 2, counts[0] + counts[1]);
		}
	}
	compare_counts(&comparison, &sides[0], &sides[1]);
	CU_ASSERT(comparison.whole.p_adjusted < 1e-6);
	CU_ASSERT(comparison.whole.low > 0.00097 && comparison.whole.high < 0.00099);
	CU_ASSERT(comparison.whole.detectable > 0 && comparison.whole.detectable < 1e-4);
	check_certain(effect_of(&comparison, "f00"), 0.001);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

static void
a_side_of_one_run_spreads_as_the_other(void)
{
	const double before[][1] = {{1000}, {1010}, {990}};
	const double after[] = {1008};
	struct profile sides[2];
	struct comparison comparison;

	profile_init(&sides[0]);
	profile_init(&sides[1]);
	for (int run = 0; run < 3; run++)
		add_run(&sides[0], before[run], 1, before[run][0]);
	add_run(&sides[1], after, 1, after[0]);
	compare_counts(&comparison, &sides[0], &sides[1]);
	UNIT_NEAR(comparison.whole.standard_error, 0.01 * M_SQRT2, 1e-12);
	/* One estimate of two degrees of freedom, counted twice: P(|T| > t) = 1 - t / sqrt(t^2 +
	 * 2). */
	CU_ASSERT_EQUAL(comparison.whole.df, 2);
	UNIT_NEAR(comparison.whole.p, 0.62988423991070075, 1e-10);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

/* Two runs that differ by 10 have a variance of 50; two that are equal have none. */
static void
two_runs_have_a_spread(void)
{
	static const double counts[2][2] = {{1000, 1010}, {1008, 1008}};
	struct profile sides[2];
	struct comparison comparison;

	for (int side = 0; side < 2; side++) {
		profile_init(&sides[side]);
		for (int run = 0; run < 2; run++)
			add_run(&sides[side], &counts[side][run], 1, counts[side][run]);
	}
	compare_counts(&comparison, &sides[0], &sides[1]);
	UNIT_NEAR(comparison.whole.change, 1008.0 / 1005 - 1, 1e-12);
	UNIT_NEAR(comparison.whole.standard_error, sqrt(50) / 1005, 1e-12);
	CU_ASSERT_EQUAL(comparison.whole.df, 1);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

/* What a run costs may be more than what its stacks hold, where some have been left out. */
static void
whole_cost_is_that_of_the_runs(void)
{
	const double counts[] = {1000, 3000};
	struct profile sides[2];
	struct comparison comparison;

	count_side(&sides[0], counts, 2, 2);
	count_side(&sides[1], counts, 2, 2);
	for (int run = 0; run < 2; run++) {
		sides[0].runs[run].cost_total = 5000;
		sides[1].runs[run].cost_total = 6000;
	}
	compare_counts(&comparison, &sides[0], &sides[1]);
	check_certain(&comparison.whole, 0.2);
	CU_ASSERT_EQUAL(comparison.whole.before_cost, 5000);
	CU_ASSERT_EQUAL(comparison.whole.after_cost, 6000);
	check_certain(effect_of(&comparison, "f00"), 0);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

static void
a_spread_is_tested_by_welchs_degrees_of_freedom(void)
{
	const double counts[2][3] = {
		{49000012, 48999985, 49000031}, {49000077, 49000022, 49000049}};
	struct profile sides[2];
	struct comparison comparison;

	for (int side = 0; side < 2; side++) {
		profile_init(&sides[side]);
		for (int run = 0; run < 3; run++)
			add_run(&sides[side], &counts[side][run], 1, counts[side][run]);
	}
	compare_counts(&comparison, &sides[0], &sides[1]);
	UNIT_NEAR(comparison.whole.change, counted.change, 1e-13);
	UNIT_NEAR(comparison.whole.standard_error / counted.error, 1, 1e-7);
	UNIT_NEAR(comparison.whole.df, counted.df, 1e-6);
	UNIT_NEAR(comparison.whole.p, counted.p, 1e-10);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

/* A handful of instructions is a ratio; none is not. */
static void
a_function_that_was_not_counted_before_is_new(void)
{
	const double before[] = {50000000, 3, 0};
	const double after[] = {50000000, 3000000, 2000000};
	struct profile sides[2];
	struct comparison comparison;

	count_side(&sides[0], before, 3, 2);
	count_side(&sides[1], after, 3, 2);
	compare_counts(&comparison, &sides[0], &sides[1]);
	CU_ASSERT(effect_of(&comparison, "f01")->tested);
	UNIT_NEAR(effect_of(&comparison, "f01")->change, 999999, 1e-6);
	CU_ASSERT_FALSE(effect_of(&comparison, "f02")->tested);
	CU_ASSERT(comparison_is_new(&comparison, effect_of(&comparison, "f02")));
	CU_ASSERT_FALSE(comparison_is_new(&comparison, effect_of(&comparison, "f01")));
	CU_ASSERT_FALSE(comparison_is_gone(&comparison, effect_of(&comparison, "f01")));
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

/* Though of the program, one count is left. */
static void
a_function_that_is_no_longer_counted_is_gone(void)
{
	const double before[] = {10, 10};
	const double after[] = {1, 0};
	struct profile sides[2];
	struct comparison comparison;

	count_side(&sides[0], before, 2, 1);
	count_side(&sides[1], after, 2, 1);
	compare_counts(&comparison, &sides[0], &sides[1]);
	CU_ASSERT(comparison_is_gone(&comparison, effect_of(&comparison, "f01")));
	CU_ASSERT_FALSE(comparison_is_gone(&comparison, effect_of(&comparison, "f00")));
	comparison_release(&comparison);
	compare_counts(&comparison, &sides[1], &sides[0]);
	CU_ASSERT(comparison_is_new(&comparison, effect_of(&comparison, "f01")));
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

void
suite_compare_model_exact(void)
{
	static const struct unit_case cases[] = {
		{"one_run_a_side_is_enough", one_run_a_side_is_enough},
		{"identical_counts_are_no_growth_whatever_the_number_of_runs",
			identical_counts_are_no_growth_whatever_the_number_of_runs},
		{"equal_fractions_are_no_growth_though_their_sums_are_rounded",
			equal_fractions_are_no_growth_though_their_sums_are_rounded},
		{"the_spread_of_addresses_is_no_growth", the_spread_of_addresses_is_no_growth},
		{"a_thousandth_shows_beyond_the_spread", a_thousandth_shows_beyond_the_spread},
		{"a_side_of_one_run_spreads_as_the_other", a_side_of_one_run_spreads_as_the_other},
		{"two_runs_have_a_spread", two_runs_have_a_spread},
		{"whole_cost_is_that_of_the_runs", whole_cost_is_that_of_the_runs},
		{"a_spread_is_tested_by_welchs_degrees_of_freedom",
			a_spread_is_tested_by_welchs_degrees_of_freedom},
		{"a_function_that_is_no_longer_counted_is_gone",
			a_function_that_is_no_longer_counted_is_gone},
		{"a_function_that_was_not_counted_before_is_new",
			a_function_that_was_not_counted_before_is_new},
		{NULL, NULL},
	};

	unit_suite("compare/model_exact", cases);
}
