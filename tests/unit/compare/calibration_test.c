#include "compare/calibration.h"

#include "compare/synthetic.h"
#include "unit.h"

#include <math.h>

void suite_compare_calibration(void);

static const struct comparison_options options = {
	.mode = COMPARISON_PAIRED, .alpha = 0.05, .min_share = 0.01};

static void
measure(struct synthetic_pairs *pairs, const struct synthetic *program, size_t npairs,
	uint64_t seed)
{
	struct rng rng = {.state = seed};

	*pairs = (struct synthetic_pairs){.autocorrelation = 0.5};
	profile_init(&pairs->sides[0]);
	profile_init(&pairs->sides[1]);
	synthetic_add_pairs(pairs, program, npairs, 0);
	synthetic_draw_pairs(pairs, program, NULL, &rng);
}

static void
release(struct synthetic_pairs *pairs)
{
	profile_release(&pairs->sides[0]);
	profile_release(&pairs->sides[1]);
}

static void
noise_of_whole_runs_is_what_was_put_in(void)
{
	struct synthetic program = synthetic_program(20);
	struct synthetic_pairs pairs;
	struct calibration_noise noise;

	program.run_noise = 0.02;
	measure(&pairs, &program, 400, 3);
	calibration_noise(&pairs.sides[0], &pairs.sides[1], &noise);
	CU_ASSERT_EQUAL(noise.npairs, 400);
	UNIT_NEAR(noise.cost_cv, 0.02, 0.002);
	UNIT_NEAR(noise.neighbours, 0.5, 0.1);
	/* SD of a difference: sqrt(2 (1 - r)) of one. */
	UNIT_NEAR(noise.pair_sd, 0.02, 0.002);
	UNIT_NEAR(noise.cpu_s, 1, 0.01);
	CU_ASSERT_TRUE(isnan(noise.wall_cv));
	release(&pairs);
}

static void
runs_without_a_partner_make_no_pair(void)
{
	struct synthetic program = synthetic_program(5);
	struct synthetic_pairs pairs;
	struct calibration_noise noise;

	measure(&pairs, &program, 4, 1);
	pairs.sides[0].runs[0].pair = 0;
	pairs.sides[1].runs[3].cost_total = 0;
	calibration_noise(&pairs.sides[0], &pairs.sides[1], &noise);
	CU_ASSERT_EQUAL(noise.npairs, 2);
	profile_drop_runs(&pairs.sides[1], 0);
	calibration_noise(&pairs.sides[0], &pairs.sides[1], &noise);
	CU_ASSERT_EQUAL(noise.npairs, 0);
	CU_ASSERT_TRUE(isnan(noise.pair_sd));
	CU_ASSERT_TRUE(isnan(noise.neighbours));
	release(&pairs);
}

static double
median_dispersion(double overdispersion)
{
	struct synthetic program = synthetic_program(30);
	struct synthetic_pairs pairs;
	struct comparison comparison;
	struct calibration_dispersion dispersion;

	program.overdispersion = overdispersion;
	program.run_noise = 0.001;
	measure(&pairs, &program, 60, 9);
	comparison_make(&comparison, &pairs.sides[0], &pairs.sides[1], &options);
	calibration_dispersion(&comparison, &dispersion);
	double median = dispersion.median;

	CU_ASSERT_TRUE(dispersion.nfunctions > 10);
	calibration_dispersion_release(&dispersion);
	comparison_release(&comparison);
	release(&pairs);
	return median;
}

static void
the_median_of_dispersion_is_what_was_put_in(void)
{
	UNIT_NEAR(median_dispersion(1), 1, 0.25);
	UNIT_NEAR(median_dispersion(4), 4, 1);
}

static void
the_least_steady_function_comes_first(void)
{
	struct synthetic program = synthetic_program(20);
	struct synthetic_pairs pairs;
	struct comparison comparison;
	struct calibration_dispersion dispersion;

	program.noise[3] = 0.2;
	measure(&pairs, &program, 20, 2);
	comparison_make(&comparison, &pairs.sides[0], &pairs.sides[1], &options);
	calibration_dispersion(&comparison, &dispersion);
	UNIT_STR_EQ(profile_frame_name(&comparison.profile, dispersion.functions[0].frame), "f03");
	CU_ASSERT_TRUE(dispersion.functions[0].q > 5);
	for (size_t i = 1; i < dispersion.nfunctions; i++)
		CU_ASSERT_TRUE(dispersion.functions[i].q <= dispersion.functions[i - 1].q);
	calibration_dispersion_release(&dispersion);
	comparison_release(&comparison);
	release(&pairs);
}

static size_t
count_tested(const struct comparison *comparison)
{
	size_t count = comparison->whole.tested;

	for (size_t i = 0; i < comparison->nframes; i++)
		count += comparison->self[i].tested;
	return count;
}

static void
as_many_pairs_as_there_are_show_what_the_gate_says(void)
{
	struct synthetic program = synthetic_program(20);
	struct synthetic_pairs pairs;
	struct comparison comparison;

	measure(&pairs, &program, 12, 4);
	comparison_make(&comparison, &pairs.sides[0], &pairs.sides[1], &options);
	comparison_adjust_alone(&comparison, 0.05);
	double level = 0.05 / (double)count_tested(&comparison);

	for (size_t i = 0; i < comparison.nframes; i++) {
		const struct effect *effect = &comparison.self[i];

		if (effect->tested)
			UNIT_NEAR(calibration_detectable(effect, 12, 12, level), effect->detectable,
				1e-9);
	}
	UNIT_NEAR(calibration_detectable(&comparison.whole, 12, 12, level),
		comparison.whole.detectable, 1e-9);
	comparison_release(&comparison);
	release(&pairs);
}

static void
the_fewest_pairs_are_just_enough(void)
{
	struct synthetic program = synthetic_program(20);
	struct synthetic_pairs pairs;
	struct comparison comparison;

	measure(&pairs, &program, 12, 4);
	comparison_make(&comparison, &pairs.sides[0], &pairs.sides[1], &options);
	const struct effect *whole = &comparison.whole;
	size_t needed = calibration_pairs_needed(whole, 12, 0.02, 0.005, 60);

	CU_ASSERT_TRUE(needed > 3);
	CU_ASSERT_TRUE(calibration_detectable(whole, 12, needed, 0.005) <= 0.02);
	CU_ASSERT_TRUE(calibration_detectable(whole, 12, needed - 1, 0.005) > 0.02);
	CU_ASSERT_EQUAL(calibration_pairs_needed(whole, 12, 1e-6, 0.005, 60), 0);
	CU_ASSERT_EQUAL(calibration_pairs_needed(whole, 12, 100, 0.005, 60), 3);
	comparison_release(&comparison);
	release(&pairs);
}

/* Twenty times in a row, so that chance evens out. */
static void
what_more_pairs_would_show_is_foretold(void)
{
	struct synthetic program = synthetic_program(20);
	double foretold = 0;
	double shown = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct synthetic_pairs pairs;
		struct comparison comparison;

		measure(&pairs, &program, 12, seed);
		comparison_make(&comparison, &pairs.sides[0], &pairs.sides[1], &options);
		foretold += calibration_detectable(&comparison.whole, 12, 40, 0.005) / 20;
		comparison_release(&comparison);
		release(&pairs);
		measure(&pairs, &program, 40, seed + 100);
		comparison_make(&comparison, &pairs.sides[0], &pairs.sides[1], &options);
		shown += calibration_detectable(&comparison.whole, 40, 40, 0.005) / 20;
		comparison_release(&comparison);
		release(&pairs);
	}
	UNIT_NEAR(foretold / shown, 1, 0.1);
}

static void
what_was_not_tested_shows_nothing(void)
{
	struct effect effect;

	effect_clear(&effect);
	CU_ASSERT_TRUE(isnan(calibration_detectable(&effect, 10, 20, 0.01)));
	CU_ASSERT_EQUAL(calibration_pairs_needed(&effect, 10, 0.1, 0.01, 60), 0);
}

/* Values of the formula with 40 digits, by decimal of Python. */
static void
rates_have_wilson_intervals(void)
{
	struct calibration_interval interval = calibration_rate(0, 400);

	UNIT_NEAR(interval.low, 0, 0);
	UNIT_NEAR(interval.high, 0.009512294334, 1e-9);
	interval = calibration_rate(10, 100);
	UNIT_NEAR(interval.low, 0.05522914, 1e-7);
	UNIT_NEAR(interval.high, 0.17436566, 1e-7);
	interval = calibration_rate(7, 7);
	UNIT_NEAR(interval.high, 1, 0);
	interval = calibration_rate(0, 0);
	UNIT_NEAR(interval.low, 0, 0);
	UNIT_NEAR(interval.high, 1, 0);
}

void
suite_compare_calibration(void)
{
	static const struct unit_case cases[] = {
		{"noise_of_whole_runs_is_what_was_put_in", noise_of_whole_runs_is_what_was_put_in},
		{"runs_without_a_partner_make_no_pair", runs_without_a_partner_make_no_pair},
		{"the_median_of_dispersion_is_what_was_put_in",
			the_median_of_dispersion_is_what_was_put_in},
		{"the_least_steady_function_comes_first", the_least_steady_function_comes_first},
		{"as_many_pairs_as_there_are_show_what_the_gate_says",
			as_many_pairs_as_there_are_show_what_the_gate_says},
		{"the_fewest_pairs_are_just_enough", the_fewest_pairs_are_just_enough},
		{"what_more_pairs_would_show_is_foretold", what_more_pairs_would_show_is_foretold},
		{"what_was_not_tested_shows_nothing", what_was_not_tested_shows_nothing},
		{"rates_have_wilson_intervals", rates_have_wilson_intervals},
		{NULL, NULL},
	};

	unit_suite("compare/calibration", cases);
}
