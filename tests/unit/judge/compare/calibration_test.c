#include "compare/calibration.h"

#include "compare/adjust.h"
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
	CU_ASSERT_TRUE(isnan(noise.wall_cv) && isnan(noise.wall_s));
	release(&pairs);
}

struct measured {
	double cost;
	uint64_t cpu_ns;
	uint64_t wall_ns;
	uint64_t switches;
	uint64_t migrations;
	uint64_t samples;
	bool measured;
};

/*
 * By hand. Costs 98, 102, 100, 110, 104 and one not known: mean 102.8, squares 84.8. Pairs ln
 * 102/98, ln 104/110, the third has no cost after. Walls 1, 2, 3 and 4 s: mean 2.5, variance 5/3.
 */
static void
noise_is_that_of_the_runs_which_tell_it(void)
{
	static const struct measured runs[2][3] = {
		{{100, 0, 0, 100, 100, 100, false}, {98, 1000000000, 1000000000, 4, 1, 90, true},
			{110, 3000000000, 2000000000, 6, 0, 130, true}},
		{{0, 0, 0, 0, 0, 0, false}, {102, 2000000000, 3000000000, 8, 3, 110, true},
			{104, 2000000000, 4000000000, 2, 0, 70, true}},
	};
	struct profile sides[2];
	struct calibration_noise noise;

	for (int side = 0; side < 2; side++) {
		profile_init(&sides[side]);
		for (uint32_t i = 0; i < 3; i++) {
			size_t column = profile_add_run(&sides[side]);
			struct run *run = &sides[side].runs[column];

			run->pair = i + 1;
			run->cost_total = runs[side][i].cost;
			run->cpu_ns = runs[side][i].cpu_ns;
			run->wall_ns = runs[side][i].wall_ns;
			run->context_switches = runs[side][i].switches;
			run->migrations = runs[side][i].migrations;
			run->samples = runs[side][i].samples;
			run->measured = runs[side][i].measured;
		}
	}
	calibration_noise(&sides[0], &sides[1], &noise);
	CU_ASSERT_EQUAL(noise.npairs, 2);
	UNIT_NEAR(noise.cost, 102.8, 1e-9);
	UNIT_NEAR(noise.cost_cv, sqrt(84.8 / 4) / 102.8, 1e-12);
	UNIT_NEAR(noise.cpu_s, 2, 1e-12);
	UNIT_NEAR(noise.wall_s, 2.5, 1e-12);
	UNIT_NEAR(noise.wall_cv, sqrt(5.0 / 3) / 2.5, 1e-12);
	UNIT_NEAR(noise.context_switches, 5, 1e-12);
	UNIT_NEAR(noise.migrations, 1, 1e-12);
	UNIT_NEAR(noise.samples, 100, 1e-12);
	const double logs[2][2] = {{log(98), log(102)}, {log(110), log(104)}};
	const double mean = (logs[0][0] + logs[0][1] + logs[1][0] + logs[1][1]) / 4;
	double products = 0;
	double squares = 0;

	for (int i = 0; i < 2; i++) {
		products += 2 * (logs[i][0] - mean) * (logs[i][1] - mean);
		squares += pow(logs[i][0] - mean, 2) + pow(logs[i][1] - mean, 2);
	}
	UNIT_NEAR(noise.neighbours, products / squares, 1e-12);
	/* The SD of two values is their distance over the square root of 2. */
	UNIT_NEAR(noise.pair_sd, (log(102.0 / 98) - log(104.0 / 110)) / M_SQRT2, 1e-12);
	release(&(struct synthetic_pairs){.sides = {sides[0], sides[1]}});
}

static void
one_pair_has_no_spread(void)
{
	struct synthetic program = synthetic_program(5);
	struct synthetic_pairs pairs;
	struct calibration_noise noise;

	measure(&pairs, &program, 1, 1);
	calibration_noise(&pairs.sides[0], &pairs.sides[1], &noise);
	CU_ASSERT_EQUAL(noise.npairs, 1);
	CU_ASSERT_TRUE(isnan(noise.pair_sd) && isnan(noise.neighbours));
	CU_ASSERT_FALSE(isnan(noise.cost_cv));
	release(&pairs);
}

/* Twice the pairs: the error is smaller by sqrt 2, and there are as many more degrees of freedom.
 */
static void
detectable_with_more_pairs_is_by_the_formula(void)
{
	const struct effect effect = {
		.tested = true, .standard_error = 0.01, .df = 11, .margin = 0.002, .alpha = 0.05};
	const double reach = model_detectable_reach(23, 0.005);

	UNIT_NEAR(calibration_detectable(&effect, 12, 24, 0.005),
		1.002 * exp(reach * 0.01 / M_SQRT2) - 1, 1e-12);
	/* With one pair no degree of freedom is left; with two one is. */
	CU_ASSERT_TRUE(isnan(calibration_detectable(&effect, 12, 1, 0.005)));
	CU_ASSERT_FALSE(isnan(calibration_detectable(&effect, 12, 2, 0.005)));
}

static void
dispersion_is_listed_with_the_mean_share(void)
{
	/* The last one is behind the end of the table. */
	struct effect effects[6];
	const struct comparison comparison = {.self = effects, .nframes = 5};
	struct calibration_dispersion dispersion;
	const double q[6] = {2, 1, 3, 2, NAN, 7};

	for (size_t i = 0; i < 6; i++)
		effects[i] = (struct effect){.tested = i != 2,
			.overdispersion = q[i],
			.before_share = 0.1 * (double)i,
			.after_share = 0.3};
	calibration_dispersion(&comparison, &dispersion);
	CU_ASSERT_EQUAL_FATAL(dispersion.nfunctions, 3);
	/* Equal ones by their frames. */
	CU_ASSERT_EQUAL(dispersion.functions[0].frame, 0);
	CU_ASSERT_EQUAL(dispersion.functions[1].frame, 3);
	CU_ASSERT_EQUAL(dispersion.functions[2].frame, 1);
	UNIT_NEAR(dispersion.functions[1].share, 0.3, 1e-12);
	UNIT_NEAR(dispersion.functions[2].share, 0.2, 1e-12);
	CU_ASSERT_EQUAL(dispersion.functions[2].q, 1);
	CU_ASSERT_EQUAL(dispersion.median, 2);
	calibration_dispersion_release(&dispersion);
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
	/* Nor does one without a cost, on either side. */
	pairs.sides[0].runs[1].cost_total = 0;
	calibration_noise(&pairs.sides[0], &pairs.sides[1], &noise);
	CU_ASSERT_EQUAL(noise.npairs, 1);
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

/* Twenty times in a row, so that chance evens out. */
static void
the_effect_of_more_pairs_is_predicted(void)
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
functions_that_were_not_tested_show_nothing(void)
{
	struct effect effect;

	effect_clear(&effect);
	CU_ASSERT_TRUE(isnan(calibration_detectable(&effect, 10, 20, 0.01)));
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
	interval = calibration_rate(1, 10);
	UNIT_NEAR(interval.low, 0.017876213095, 1e-11);
	UNIT_NEAR(interval.high, 0.404150026795, 1e-11);
	interval = calibration_rate(9, 10);
	UNIT_NEAR(interval.low, 0.595849973205, 1e-11);
	UNIT_NEAR(interval.high, 0.982123786905, 1e-11);
	interval = calibration_rate(1, 1);
	UNIT_NEAR(interval.low, 0.206549314377, 1e-11);
	UNIT_NEAR(interval.high, 1, 0);
	interval = calibration_rate(7, 7);
	UNIT_NEAR(interval.high, 1, 0);
	interval = calibration_rate(0, 0);
	UNIT_NEAR(interval.low, 0, 0);
	UNIT_NEAR(interval.high, 1, 0);
}

static void
the_noise_is_the_same_in_any_unit(void)
{
	struct synthetic program = synthetic_program(5);
	struct synthetic_pairs pairs;
	struct calibration_noise noise;
	struct calibration_noise smaller;

	measure(&pairs, &program, 6, 1);
	calibration_noise(&pairs.sides[0], &pairs.sides[1], &noise);
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < 6; i++)
			pairs.sides[side].runs[i].cost_total *= 1e-12;
	calibration_noise(&pairs.sides[0], &pairs.sides[1], &smaller);
	CU_ASSERT_EQUAL(smaller.npairs, 6);
	UNIT_NEAR(smaller.pair_sd, noise.pair_sd, 1e-9);
	UNIT_NEAR(smaller.cost_cv, noise.cost_cv, 1e-9);
	release(&pairs);
}

void
suite_compare_calibration(void)
{
	static const struct unit_case cases[] = {
		{"noise_of_whole_runs_is_what_was_put_in", noise_of_whole_runs_is_what_was_put_in},
		{"noise_is_that_of_the_runs_which_tell_it",
			noise_is_that_of_the_runs_which_tell_it},
		{"one_pair_has_no_spread", one_pair_has_no_spread},
		{"detectable_with_more_pairs_is_by_the_formula",
			detectable_with_more_pairs_is_by_the_formula},
		{"dispersion_is_listed_with_the_mean_share",
			dispersion_is_listed_with_the_mean_share},
		{"runs_without_a_partner_make_no_pair", runs_without_a_partner_make_no_pair},
		{"the_median_of_dispersion_is_what_was_put_in",
			the_median_of_dispersion_is_what_was_put_in},
		{"the_least_steady_function_comes_first", the_least_steady_function_comes_first},
		{"as_many_pairs_as_there_are_show_what_the_gate_says",
			as_many_pairs_as_there_are_show_what_the_gate_says},
		{"the_effect_of_more_pairs_is_predicted", the_effect_of_more_pairs_is_predicted},
		{"functions_that_were_not_tested_show_nothing",
			functions_that_were_not_tested_show_nothing},
		{"rates_have_wilson_intervals", rates_have_wilson_intervals},
		{"the_noise_is_the_same_in_any_unit", the_noise_is_the_same_in_any_unit},
		{NULL, NULL},
	};

	unit_suite("compare/calibration", cases);
}
