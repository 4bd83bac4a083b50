/* What is compared with what on two days. Reference values: tests/unit/judge/compare/reference.py.
 */
#include "compare/comparison.h"

#include "base/mem.h"
#include "compare/comparison_fixture.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>

void suite_compare_model_stored(void);

/* Change, error, degrees of freedom and p. */
static const double stored_whole[] = {
	0.021290751829674104, 0.010084940031746347, 3.0242034868449226, 0.1271740438140138};

/* With next to no spread between the days it is Welch's test. */
static void
whole_cost_is_tested_by_welchs_test(void)
{
	const double costs[2][4] = {{1000e6, 1013e6, 991e6, 1004e6}, {1010e6, 1041e6, 1019e6}};
	const double samples[] = {600, 400};
	struct comparison_options options = plain_options;
	struct profile sides[2];
	struct comparison comparison;

	options.machine_spread = 1e-9;
	for (int side = 0; side < 2; side++) {
		profile_init(&sides[side]);
		for (int run = 0; run < 4 - side; run++)
			add_run(&sides[side], samples, 2, costs[side][run]);
	}
	comparison_make(&comparison, &sides[0], &sides[1], &options);
	UNIT_NEAR(comparison.whole.change, stored_whole[0], 1e-12);
	UNIT_NEAR(comparison.whole.standard_error, stored_whole[1], 1e-12);
	UNIT_NEAR(comparison.whole.df, stored_whole[2], 1e-10);
	UNIT_NEAR(comparison.whole.p, stored_whole[3], 1e-10);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

/* (1 + 9)^2 / (1 + 81) times as many runs, of the variances 50 / 2 and 450 / 2 about equal means.
 */
static void
two_runs_a_side_have_welchs_degrees_of_freedom(void)
{
	const double costs[2][2] = {{1000e6, 1010e6}, {990e6, 1020e6}};
	const double samples[] = {600, 400};
	struct profile sides[2];
	struct comparison comparison;

	for (int side = 0; side < 2; side++) {
		profile_init(&sides[side]);
		for (int run = 0; run < 2; run++)
			add_run(&sides[side], samples, 2, costs[side][run]);
	}
	comparison_make(&comparison, &sides[0], &sides[1], &plain_options);
	const struct model_estimate estimate = model_estimate_whole(&comparison.model);

	UNIT_NEAR(estimate.log_change, 0, 1e-12);
	UNIT_NEAR(estimate.variance, (25 + 225) / (1005.0 * 1005), 1e-12);
	UNIT_NEAR(estimate.df, 100.0 / 82, 1e-9);
	/* A side that costs nothing has no estimate; one that costs little has. */
	for (int side = 0; side < MODEL_SIDES; side++) {
		comparison.model.mean_cost[side] = 0.5;
		CU_ASSERT_TRUE(model_estimate_whole(&comparison.model).known);
		comparison.model.mean_cost[side] = 0;
		CU_ASSERT_FALSE(model_estimate_whole(&comparison.model).known);
		comparison.model.mean_cost[side] = 1;
	}
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

#define NFUNCTIONS 5

/* Runs in which the first function, 70 % of the program, takes `growth` times as long. */
static void
add_dominated_runs(struct profile *profile, double growth, double samples, double cost)
{
	const double work[NFUNCTIONS] = {7000 * growth, 1000, 800, 700, 500};
	double total = 3000 + work[0];
	double weights[NFUNCTIONS];

	profile_init(profile);
	for (int run = 0; run < 6; run++) {
		for (size_t i = 0; i < NFUNCTIONS; i++)
			weights[i] = work[i] / total * (samples > 0 ? samples : total);
		add_run(profile, weights, NFUNCTIONS, cost);
	}
}

/* Both sides of `samples` a run, or (0) of as many as the work takes; cost 0: not known. */
static void
compare_dominated(struct comparison *comparison, double samples, double cost)
{
	struct profile sides[2];

	add_dominated_runs(&sides[0], 1, samples, cost);
	add_dominated_runs(&sides[1], 1.7, samples, cost);
	comparison_make(comparison, &sides[0], &sides[1], &plain_options);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

static void
captures_of_fixed_length_do_not_hide_what_most_time_goes_to(void)
{
	struct comparison comparison;

	compare_dominated(&comparison, 10000, 0);
	CU_ASSERT_TRUE(comparison.model.fixed_length);
	UNIT_NEAR(effect_of(&comparison, "f00")->change, 0.7, 1e-9);
	UNIT_NEAR(effect_of(&comparison, "f01")->change, 0, 1e-9);
	UNIT_NEAR(comparison.model.machine_speed, 1 / 1.49, 1e-9);
	comparison_release(&comparison);
}

static void
captures_of_fixed_work_tell_by_their_samples(void)
{
	struct comparison comparison;

	compare_dominated(&comparison, 0, 0);
	CU_ASSERT_FALSE(comparison.model.fixed_length);
	UNIT_NEAR(effect_of(&comparison, "f00")->change, 0.7, 1e-9);
	UNIT_NEAR(effect_of(&comparison, "f01")->change, 0, 1e-9);
	UNIT_NEAR(comparison.model.machine_speed, 1, 1e-9);
	comparison_release(&comparison);
}

/* CPU time that was measured is that of the work, whatever the number of samples. */
static void
costs_that_are_known_speak_for_the_machine(void)
{
	struct comparison comparison;

	compare_dominated(&comparison, 10000, 1e9);
	CU_ASSERT_FALSE(comparison.model.fixed_length);
	UNIT_NEAR(effect_of(&comparison, "f00")->change, 1.7 / 1.49 - 1, 1e-9);
	comparison_release(&comparison);
}

static void
a_group_of_nearly_all_is_held_against_the_rest_within_it(void)
{
	struct comparison comparison;
	struct effect effect;

	compare_dominated(&comparison, 10000, 0);
	bool *member = mem_zalloc(comparison.nframes + 1, sizeof(*member));

	for (frame_id frame = 1; frame < comparison.nframes; frame++)
		member[frame] = strcmp(profile_frame_name(&comparison.profile, frame), "f04") != 0;
	comparison_group(&comparison, &comparison.model, member, true, &effect);
	UNIT_NEAR(effect.change, 14400.0 / 9500 - 1, 1e-9);
	free(member);
	comparison_release(&comparison);
}

/* What is stable is 30 % of the program, or nothing. */
static void
by_one_yardstick_shares_are_compared_where_less_than_half_is_stable(void)
{
	struct comparison_options options = plain_options;
	struct profile sides[2];
	struct comparison comparison;

	options.one_yardstick = true;
	add_dominated_runs(&sides[0], 1, 0, 1e9);
	add_dominated_runs(&sides[1], 1.7, 0, 1.2e9);
	comparison_make(&comparison, &sides[0], &sides[1], &options);
	const struct effect *effect = effect_of(&comparison, "f00");

	CU_ASSERT_TRUE(comparison.model.shares);
	CU_ASSERT_TRUE(effect->relative);
	UNIT_NEAR(effect->change, effect->after_share / effect->before_share - 1, 1e-9);
	UNIT_NEAR(comparison.model.machine_speed, 1.2, 1e-9);
	CU_ASSERT_FALSE(comparison.model.reference_share >= 0.5);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

/* In whatever unit the costs are; a side without runs has no shares. */
static void
shares_are_compared_of_programs_that_cost_little_not_of_none(void)
{
	struct comparison_options options = plain_options;
	struct profile sides[2];
	struct profile none;
	struct comparison comparison;

	options.one_yardstick = true;
	add_dominated_runs(&sides[0], 1, 0, 0.5);
	add_dominated_runs(&sides[1], 1.7, 0, 0.6);
	profile_init(&none);
	comparison_make(&comparison, &sides[0], &sides[1], &options);
	CU_ASSERT_TRUE(comparison.model.shares);
	comparison_release(&comparison);
	comparison_make(&comparison, &none, &sides[1], &options);
	CU_ASSERT_FALSE(comparison.model.shares);
	comparison_release(&comparison);
	comparison_make(&comparison, &sides[0], &none, &options);
	CU_ASSERT_FALSE(comparison.model.shares);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
	profile_release(&none);
}

void
suite_compare_model_stored(void)
{
	static const struct unit_case cases[] = {
		{"whole_cost_is_tested_by_welchs_test", whole_cost_is_tested_by_welchs_test},
		{"two_runs_a_side_have_welchs_degrees_of_freedom",
			two_runs_a_side_have_welchs_degrees_of_freedom},
		{"captures_of_fixed_length_do_not_hide_what_most_time_goes_to",
			captures_of_fixed_length_do_not_hide_what_most_time_goes_to},
		{"captures_of_fixed_work_tell_by_their_samples",
			captures_of_fixed_work_tell_by_their_samples},
		{"costs_that_are_known_speak_for_the_machine",
			costs_that_are_known_speak_for_the_machine},
		{"a_group_of_nearly_all_is_held_against_the_rest_within_it",
			a_group_of_nearly_all_is_held_against_the_rest_within_it},
		{"by_one_yardstick_shares_are_compared_where_less_than_half_is_stable",
			by_one_yardstick_shares_are_compared_where_less_than_half_is_stable},
		{"shares_are_compared_of_programs_that_cost_little_not_of_none",
			shares_are_compared_of_programs_that_cost_little_not_of_none},
		{NULL, NULL},
	};

	unit_suite("compare/model_stored", cases);
}
