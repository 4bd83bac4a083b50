/* At which samples and shares a function is tested, is new or is gone. */
#include "compare/comparison.h"

#include "compare/adjust.h"
#include "compare/comparison_fixture.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>

void suite_compare_comparison_limits(void);

/* One run a side; f01 and more fill it up. */
static void
compare_one(struct comparison *comparison, const struct comparison_options *options,
	const double before[3], const double after[3], double speed)
{
	struct profile sides[2];

	for (int side = 0; side < 2; side++) {
		profile_init(&sides[side]);
		for (int run = 0; run < 2; run++) {
			add_run(&sides[side], side ? after : before, 3, side ? 1e9 * speed : 1e9);
			sides[side].runs[run].pair = (uint32_t)run + 1;
		}
	}
	comparison_make(comparison, &sides[0], &sides[1], options);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

/* Samples of f00 in two runs of each side, out of 20,000, and how it is taken. */
struct limit {
	double before;
	double after;
	bool tested;
	bool is_new;
	bool is_gone;
};

static void
check_limit(const struct limit *limit, const struct comparison_options *options)
{
	const double before[] = {limit->before / 2, 5000, 5000 - limit->before / 2};
	const double after[] = {limit->after / 2, 5000, 5000 - limit->after / 2};
	struct comparison comparison;

	compare_one(&comparison, options, before, after, 1);
	const struct effect *effect = effect_of(&comparison, "f00");

	CU_ASSERT_EQUAL(effect->tested, limit->tested);
	CU_ASSERT_EQUAL(comparison_is_new(&comparison, effect), limit->is_new);
	CU_ASSERT_EQUAL(comparison_is_gone(&comparison, effect), limit->is_gone);
	comparison_release(&comparison);
}

/* 50 samples on one side, and five on the other. */
static void
too_few_samples_are_not_tested(void)
{
	static const struct limit limits[] = {
		{50, 50, true, false, false},
		{50, 6, true, false, false},
		{6, 50, true, false, false},
		{49, 49, false, false, false},
		{5, 50, true, false, false},
		{50, 5, true, false, false},
		{4, 50, false, true, false},
		{50, 4, false, false, true},
		{4, 49, false, false, false},
		{49, 4, false, false, false},
		{0, 400, false, true, false},
		{400, 0, false, false, true},
	};
	struct comparison_options options = plain_options;

	options.min_share = 0.001;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		check_limit(&limits[i], &options);
}

/* min_share is 1 %: 200 samples of 20,000. */
static void
small_shares_are_not_tested(void)
{
	static const struct limit limits[] = {
		{200, 200, true, false, false},
		{200, 100, true, false, false},
		{100, 200, true, false, false},
		{198, 198, false, false, false},
		{0, 200, false, true, false},
		{0, 198, false, false, false},
		{200, 0, false, false, true},
		{198, 0, false, false, false},
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		check_limit(&limits[i], &plain_options);
}

/* Twice the cost by plain costs: 0.6 % of the program after are 1.2 % of that before. */
static void
shares_after_are_those_of_the_cost_before(void)
{
	const double before[] = {40, 5000, 4960};
	const double after[] = {60, 5000, 4940};
	struct comparison_options options = plain_options;
	struct comparison comparison;

	options.mode = COMPARISON_PAIRED;
	compare_one(&comparison, &options, before, after, 2);
	const struct effect *effect = effect_of(&comparison, "f00");

	UNIT_NEAR(model_share_of_before(&comparison.model, effect), 0.012, 1e-12);
	CU_ASSERT_TRUE(effect->tested);
	CU_ASSERT_EQUAL(comparison_before_scale(&comparison, effect), 1);
	comparison_release(&comparison);
	/* Where all of it is the machine's speed, they are 0.6 % still. */
	compare_one(&comparison, &plain_options, before, after, 2);
	effect = effect_of(&comparison, "f00");
	UNIT_NEAR(comparison.model.machine_speed, 2, 0.02);
	UNIT_NEAR(model_share_of_before(&comparison.model, effect), 0.006, 1e-4);
	CU_ASSERT_FALSE(effect->tested);
	CU_ASSERT_EQUAL(
		comparison_before_scale(&comparison, effect), comparison.model.machine_speed);
	CU_ASSERT_EQUAL(comparison_before_scale(&comparison, effect_of(&comparison, "f01")),
		comparison.model.machine_speed);
	CU_ASSERT_EQUAL(comparison_before_scale(&comparison, &comparison.whole), 1);
	comparison_release(&comparison);
}

static void
counts_are_tested_from_one(void)
{
	static const struct limit limits[] = {
		{2, 2, true, false, false},
		{0, 2, false, true, false},
		{2, 0, false, false, true},
		{0, 0, false, false, false},
	};
	struct comparison_options options = {.mode = COMPARISON_EXACT, .alpha = 0.05};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		check_limit(&limits[i], &options);
}

/* Nine more tests of the gate, whose p are taken to be 1: Holm's factors are 11 and 10. */
static void
tests_elsewhere_count_in_the_correction(void)
{
	struct effect effects[3] = {
		{.tested = true, .p = 0.004, .df = INFINITY, .standard_error = 0.01},
		{.tested = true, .p = 0.001, .df = INFINITY, .standard_error = 0.02},
		{.p = 0.0001},
	};
	struct effect *pointers[] = {&effects[0], &effects[1], &effects[2]};
	/* t_0.025/11 + t_0.05 of the normal distribution. */
	const double reach = model_detectable_reach(INFINITY, 0.05 / 11);

	effects[0].alpha = effects[2].alpha = 0.01;
	comparison_adjust(pointers, 3, 9, 0.05);
	CU_ASSERT_EQUAL(effects[0].alpha, 0.05);
	CU_ASSERT_EQUAL(effects[2].alpha, 0.01);
	UNIT_NEAR(effects[0].p_adjusted, 0.04, 1e-12);
	UNIT_NEAR(effects[1].p_adjusted, 0.011, 1e-12);
	CU_ASSERT_TRUE(isnan(effects[2].p_adjusted));
	CU_ASSERT_EQUAL(effects[2].detectable, 0);
	UNIT_NEAR(reach, 2.837 + 1.645, 1e-3);
	UNIT_NEAR(log1p(effects[0].detectable), 0.01 * reach, 1e-12);
	UNIT_NEAR(log1p(effects[1].detectable), 0.02 * reach, 1e-12);
}

/* app;main;f00 and app;main;f01, of which only the second grows: main by half of it. */
static void
totals_have_what_a_function_calls(void)
{
	static const char *const names[] = {"app", "main", "f00", "f01"};
	const double weights[2][2] = {{600, 400}, {600, 520}};
	struct profile sides[2];
	struct comparison comparison;

	for (int side = 0; side < 2; side++) {
		profile_init(&sides[side]);
		for (uint32_t run = 0; run < 3; run++) {
			size_t column = profile_add_run(&sides[side]);
			struct ctree *tree = &sides[side].tree;
			frame_id frames[4];

			for (size_t i = 0; i < 4; i++)
				frames[i] = profile_frame(
					&sides[side], names[i], strlen(names[i]), FRAME_USER);
			node_id above = ctree_child(
				tree, ctree_child(tree, CTREE_ROOT, frames[0]), frames[1]);

			for (size_t i = 0; i < 2; i++)
				ctree_add(tree, column, ctree_child(tree, above, frames[2 + i]),
					weights[side][i]);
			sides[side].runs[column].pair = run + 1;
			sides[side].runs[column].cost_total = side ? 1.12e9 : 1e9;
		}
	}
	struct comparison_options options = plain_options;

	options.mode = COMPARISON_PAIRED;
	comparison_make(&comparison, &sides[0], &sides[1], &options);
	struct effect *totals = comparison_totals(&comparison);
	const double changes[] = {0.12, 0.12, 0, 0.3};

	for (size_t i = 0; i < 4; i++) {
		const struct effect *total = &totals[profile_frame(
			&comparison.profile, names[i], strlen(names[i]), FRAME_USER)];

		CU_ASSERT_FALSE(total->tested);
		UNIT_NEAR(total->change, changes[i], 1e-12);
		UNIT_NEAR(total->before_share, i < 2 ? 1 : i == 2 ? 0.6 : 0.4, 1e-12);
		UNIT_NEAR(total->after_cost, i < 2 ? 1.12e9 : i == 2 ? 0.6e9 : 0.52e9, 1);
	}
	CU_ASSERT_FALSE(effect_of(&comparison, "main")->tested);
	free(totals);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

static void
effects_behind_one_that_was_not_tested_are_corrected(void)
{
	struct effect effects[] = {
		{.tested = false, .p = 0.001},
		{.tested = true, .p = 0.01, .change = 0.1, .standard_error = 0.03, .df = INFINITY},
		{.tested = true, .p = 0.2, .change = 0.1, .standard_error = 0.08, .df = INFINITY},
	};
	struct effect *all[] = {&effects[0], &effects[1], &effects[2]};

	comparison_adjust(all, 3, 0, 0.05);
	CU_ASSERT(isnan(effects[0].p_adjusted));
	UNIT_NEAR(effects[1].p_adjusted, 0.02, 1e-15);
	UNIT_NEAR(effects[2].p_adjusted, 0.2, 1e-15);
	/* z(0.0125) + z(0.05) is 2.241403 + 1.644854. */
	UNIT_NEAR(effects[1].detectable, expm1(3.886257 * 0.03), 1e-6);
	UNIT_NEAR(effects[2].detectable, expm1(3.886257 * 0.08), 1e-6);
	CU_ASSERT_EQUAL(effects[1].alpha, 0.05);
}

/* 20 samples on one side, and on the other 50, which are just enough. */
static void
a_group_is_tested_by_its_larger_side(void)
{
	const double few[] = {10, 5000, 5000};
	const double many[] = {25, 5000, 5000};

	for (int grows = 0; grows < 2; grows++) {
		struct comparison comparison;
		struct effect group;

		compare_one(&comparison, &plain_options, grows ? few : many, grows ? many : few, 1);
		bool *member = calloc(comparison.nframes, sizeof(*member));

		UNIT_NEED(member);
		member[profile_frame(&comparison.profile, "f00", 3, FRAME_USER)] = true;
		comparison_group(&comparison, &comparison.model, member, true, &group);
		CU_ASSERT_TRUE(group.tested);
		free(member);
		comparison_release(&comparison);
	}
}

/* Where a side has no runs, nothing is known to be new or gone. */
static void
without_a_side_nothing_is_new_or_gone(void)
{
	const double samples[] = {2000, 8000};

	for (int side = 0; side < 2; side++) {
		struct comparison comparison;
		struct profile sides[2];

		profile_init(&sides[0]);
		profile_init(&sides[1]);
		add_run(&sides[side], samples, 2, 1e9);
		comparison_make(&comparison, &sides[0], &sides[1], &plain_options);
		const struct effect *effect = effect_of(&comparison, "f00");

		CU_ASSERT_FALSE(comparison_is_new(&comparison, effect));
		CU_ASSERT_FALSE(comparison_is_gone(&comparison, effect));
		comparison_release(&comparison);
		profile_release(&sides[0]);
		profile_release(&sides[1]);
	}
}

void
suite_compare_comparison_limits(void)
{
	static const struct unit_case cases[] = {
		{"too_few_samples_are_not_tested", too_few_samples_are_not_tested},
		{"small_shares_are_not_tested", small_shares_are_not_tested},
		{"shares_after_are_those_of_the_cost_before",
			shares_after_are_those_of_the_cost_before},
		{"counts_are_tested_from_one", counts_are_tested_from_one},
		{"tests_elsewhere_count_in_the_correction",
			tests_elsewhere_count_in_the_correction},
		{"effects_behind_one_that_was_not_tested_are_corrected",
			effects_behind_one_that_was_not_tested_are_corrected},
		{"a_group_is_tested_by_its_larger_side", a_group_is_tested_by_its_larger_side},
		{"without_a_side_nothing_is_new_or_gone", without_a_side_nothing_is_new_or_gone},
		{"totals_have_what_a_function_calls", totals_have_what_a_function_calls},
		{NULL, NULL},
	};

	unit_suite("compare/comparison_limits", cases);
}
