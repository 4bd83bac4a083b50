#include "compare/comparison.h"

#include "compare/adjust.h"
#include "compare/comparison_fixture.h"
#include "compare/stats.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

void suite_compare_comparison(void);

/*
 * f00 against f01 + f02, by hand. Before: f00 100 + 120 of 1000, rest 900 + 880; after: 150 + 170,
 * rest 850 + 830. K_A = 220, R_A = 1780, K_B = 320, R_B = 1680.
 */
static void
estimate_is_the_ratio_to_the_stable_rest(void)
{
	const double before[][3] = {{100, 450, 450}, {120, 440, 440}};
	const double after[][3] = {{150, 425, 425}, {170, 415, 415}};
	struct profile sides[2];
	struct comparison comparison;

	for (int side = 0; side < 2; side++) {
		profile_init(&sides[side]);
		for (int run = 0; run < 2; run++)
			add_run(&sides[side], side == 0 ? before[run] : after[run], 3, 1e9);
	}
	comparison_make(&comparison, &sides[0], &sides[1], &plain_options);
	const struct effect *effect = effect_of(&comparison, "f00");
	/* Residuals: 100 - 220/1780 900 and its opposite; V = 2 sum e^2 / K^2. */
	double e_before = 100 - 220.0 / 1780 * 900;
	double e_after = 150 - 320.0 / 1680 * 850;
	double empirical =
		4 * e_before * e_before / (220.0 * 220) + 4 * e_after * e_after / (320.0 * 320);
	double floor = 1 / 220.0 + 1 / 320.0 + 1 / 1780.0 + 1 / 1680.0;
	double variance = fmax(floor, empirical);
	double spread = 2 * 0.02 * 0.02;

	CU_ASSERT_TRUE(effect->tested && effect->relative);
	UNIT_NEAR(effect->change, (320.0 / 1680) / (220.0 / 1780) - 1, 1e-12);
	UNIT_NEAR(effect->overdispersion, empirical / floor, 1e-9);
	UNIT_NEAR(effect->standard_error, sqrt(variance + spread), 1e-12);
	/* The runs' two degrees, but for the sides' unequal sizes, and a spread that is known. */
	UNIT_NEAR(effect->df, 2 * pow((variance + spread) / variance, 2), 0.01);
	UNIT_NEAR(effect->spread, sqrt(spread), 1e-12);
	UNIT_NEAR(effect->before_share, 0.11, 1e-12);
	UNIT_NEAR(effect->after_cost, 0.16e9, 1e-3);
	UNIT_NEAR(comparison.model.machine_speed, 0.84 / 0.89, 1e-9);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

/* Two sides of ten runs of the same program of 20 functions. */
static void
measure_unchanged(struct profile sides[2])
{
	struct synthetic program = synthetic_program(20);
	struct rng rng = {.state = 3};

	for (int side = 0; side < 2; side++) {
		profile_init(&sides[side]);
		synthetic_add(
			&sides[side], &program, &(const struct synthetic_side){.nruns = 10}, &rng);
	}
}

static size_t
count_tested(const struct comparison *comparison)
{
	size_t ntested = comparison->whole.tested;

	for (size_t i = 0; i < comparison->nframes; i++)
		ntested += comparison->self[i].tested;
	return ntested;
}

/* The same runs under two assumptions about days: their own variance is what both have left. */
static void
interval_p_and_detectable_have_the_spread_in_them(void)
{
	const double spreads[2] = {0.02, 0.04};
	struct profile sides[2];
	double variance[2];
	double df[2];

	measure_unchanged(sides);
	for (int i = 0; i < 2; i++) {
		struct comparison_options assumed = plain_options;
		struct comparison comparison;

		assumed.session_spread = spreads[i];
		comparison_make(&comparison, &sides[0], &sides[1], &assumed);
		comparison_adjust_alone(&comparison, 0.05);
		const struct effect *effect = effect_of(&comparison, "f00");
		double middle = log1p(effect->change);
		double error = effect->standard_error;
		double level = 0.025 / (double)count_tested(&comparison);
		/* Where Holm's correction was cut off, Bonferroni's level. */
		double of_p =
			effect->p_adjusted < 1 ? 0.025 * effect->p / effect->p_adjusted : level;
		double reach = stats_t_quantile(of_p, effect->df) * error;

		variance[i] = error * error - 2 * spreads[i] * spreads[i];
		df[i] = effect->df * pow(variance[i] / (error * error), 2);
		UNIT_NEAR(log1p(effect->low), middle - reach, 1e-12);
		UNIT_NEAR(log1p(effect->high), middle + reach, 1e-12);
		UNIT_NEAR(effect->p, 2 * stats_t_survival(fabs(middle) / error, effect->df), 1e-12);
		UNIT_NEAR(effect->detectable,
			expm1((stats_t_quantile(level, effect->df) +
				      stats_t_quantile(0.05, effect->df)) *
				error),
			1e-12);
		comparison_release(&comparison);
	}
	/* No less than a multinomial draw of 30 % of 50,000 samples on each side would have. */
	CU_ASSERT(variance[0] >= 2 * (1 / 15000.0 + 1 / 35000.0) * 0.95);
	UNIT_NEAR(variance[1], variance[0], 1e-12);
	UNIT_NEAR(df[1] / df[0], 1, 1e-9);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

/* A growth of `detectable` that chance lowers by its worst of twenty is still significant. */
static void
detectable_growth_withstands_the_correction(void)
{
	struct profile sides[2];
	struct comparison comparison;

	measure_unchanged(sides);
	comparison_make(&comparison, &sides[0], &sides[1], &plain_options);
	comparison_adjust_alone(&comparison, 0.05);
	struct effect *effect = effect_of(&comparison, "f00");
	size_t ntested = count_tested(&comparison);
	double among_all = effect->detectable;
	double lowered =
		log1p(among_all) / effect->standard_error - stats_t_quantile(0.05, effect->df);

	CU_ASSERT_FATAL(ntested > 10);
	UNIT_NEAR((double)ntested * stats_t_survival(lowered, effect->df), 0.025, 1e-9);
	comparison_adjust(&effect, 1, 0, 0.05);
	CU_ASSERT(effect->detectable < among_all);
	UNIT_NEAR(log1p(effect->detectable) / effect->standard_error,
		stats_t_quantile(0.025, effect->df) + stats_t_quantile(0.05, effect->df), 1e-9);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

/* Growths from none to large, in either mode: some are significant, some are not. */
static void
an_interval_without_0_is_a_significant_p(void)
{
	size_t significant = 0;
	size_t others = 0;

	for (int mode = COMPARISON_STORED; mode <= COMPARISON_PAIRED; mode++) {
		struct comparison_options options = plain_options;
		struct synthetic program = synthetic_program(20);
		struct synthetic_pairs pairs = {.autocorrelation = 0.5};
		struct rng rng = {.state = 5};
		struct comparison comparison;
		double factor[SYNTHETIC_MAX];

		for (size_t i = 0; i < SYNTHETIC_MAX; i++)
			factor[i] = i % 2 == 0 ? 1 + 0.03 * (double)i : 1 / (1 + 0.03 * (double)i);
		for (int side = 0; side < 2; side++)
			profile_init(&pairs.sides[side]);
		synthetic_add_pairs(&pairs, &program, 10, 0);
		synthetic_draw_pairs(&pairs, &program, factor, &rng);
		options.mode = (enum comparison_mode)mode;
		comparison_make(&comparison, &pairs.sides[0], &pairs.sides[1], &options);
		comparison_adjust_alone(&comparison, 0.05);
		for (size_t i = 0; i < comparison.nframes; i++) {
			const struct effect *effect = &comparison.self[i];
			bool leaves_out_0 = effect->low > 0 || effect->high < 0;

			if (!effect->tested)
				continue;
			CU_ASSERT_EQUAL(leaves_out_0, effect->p_adjusted < 0.05);
			significant += leaves_out_0;
			others += !leaves_out_0;
		}
		comparison_release(&comparison);
		for (int side = 0; side < 2; side++)
			profile_release(&pairs.sides[side]);
	}
	CU_ASSERT(significant >= 5);
	CU_ASSERT(others >= 5);
}

/* The runs of `from` in another order, which gives functions other ids too. */
static void
reverse_runs(const struct profile *from, struct profile *into)
{
	profile_init(into);
	for (size_t run = from->nruns; run-- > 0;) {
		size_t column = profile_add_run(into);

		into->runs[column] = from->runs[run];
		for (size_t node = from->tree.nnodes; node-- > 1;) {
			const char *name = profile_frame_name(from, from->tree.nodes[node].frame);
			frame_id frame = profile_frame(into, name, strlen(name), FRAME_USER);

			ctree_add(&into->tree, column, ctree_child(&into->tree, CTREE_ROOT, frame),
				ctree_weight(&from->tree, run, (node_id)node));
		}
	}
}

static void
order_of_runs_changes_no_bit(void)
{
	struct synthetic program = synthetic_program(30);
	struct rng rng = {.state = 11};
	struct profile sides[2];
	struct profile reversed[2];
	struct comparison one;
	struct comparison other;

	for (int side = 0; side < 2; side++) {
		profile_init(&sides[side]);
		synthetic_add(
			&sides[side], &program, &(const struct synthetic_side){.nruns = 9}, &rng);
		/* Equal costs leave the weights alone to tell the runs apart. */
		for (size_t run = 0; run < 9; run += 2)
			sides[side].runs[run].cost_total = 1e9;
		reverse_runs(&sides[side], &reversed[side]);
	}
	comparison_make(&one, &sides[0], &sides[1], &plain_options);
	comparison_make(&other, &reversed[0], &reversed[1], &plain_options);
	comparison_adjust_alone(&one, 0.05);
	comparison_adjust_alone(&other, 0.05);
	for (size_t i = 0; i < program.nfunctions; i++) {
		char name[8];

		synthetic_name(i, name);
		CU_ASSERT(same_effect(effect_of(&one, name), effect_of(&other, name)));
	}
	CU_ASSERT(same_effect(&one.whole, &other.whole));
	comparison_release(&one);
	comparison_release(&other);
	for (int side = 0; side < 2; side++) {
		profile_release(&sides[side]);
		profile_release(&reversed[side]);
	}
}

/* Six sessions with 4 % between them, and runs that hardly differ within one. */
static void
spread_is_learned_from_five_sessions(void)
{
	struct synthetic program = synthetic_program(20);
	struct rng rng = {.state = 5};
	struct profile sides[2];
	struct comparison comparison;

	program.hz = 1e6;
	profile_init(&sides[0]);
	profile_init(&sides[1]);
	for (uint32_t session = 0; session < 12; session++)
		synthetic_add(&sides[0], &program,
			&(const struct synthetic_side){
				.nruns = 4, .session_noise = 0.04, .session = session},
			&rng);
	synthetic_add(&sides[1], &program, &(const struct synthetic_side){.nruns = 4}, &rng);
	comparison_make(&comparison, &sides[0], &sides[1], &plain_options);
	CU_ASSERT_EQUAL(comparison.model.session_spread_from, SPREAD_OF_SESSIONS);
	UNIT_NEAR(comparison.model.session_spread, 0.04, 0.01);
	comparison_release(&comparison);

	profile_drop_runs(&sides[0], 16);
	comparison_make(&comparison, &sides[0], &sides[1], &plain_options);
	CU_ASSERT_EQUAL(comparison.model.session_spread_from, SPREAD_ASSUMED);
	CU_ASSERT_EQUAL(comparison.model.session_spread, COMPARISON_SESSION_SPREAD);
	/* Four sessions before, one after. */
	UNIT_NEAR(effect_of(&comparison, "f00")->spread, 0.02 * sqrt(1.25), 1e-12);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

/* What most functions changed by lies between the sessions; what one changed by does not. */
static void
spread_is_learned_from_most_functions(void)
{
	const double noise[] = {0, 0.08, 0};
	const double first[] = {1, 1, 1.5};

	for (size_t i = 0; i < 3; i++) {
		struct synthetic program = synthetic_program(20);
		struct comparison_options options = plain_options;
		double factor[SYNTHETIC_MAX];
		struct rng rng = {.state = 11};
		struct profile sides[2];
		struct comparison comparison;

		for (size_t k = 0; k < SYNTHETIC_MAX; k++)
			factor[k] = k == 0 ? first[i] : 1;
		for (int side = 0; side < 2; side++) {
			profile_init(&sides[side]);
			synthetic_add(&sides[side], &program,
				&(const struct synthetic_side){.nruns = 10,
					.session_noise = noise[i],
					.factor = side ? factor : NULL},
				&rng);
		}
		options.spread_of_functions = true;
		comparison_make(&comparison, &sides[0], &sides[1], &options);
		CU_ASSERT_EQUAL(comparison.model.session_spread_from,
			i == 1 ? SPREAD_OF_FUNCTIONS : SPREAD_ASSUMED);
		if (i == 1)
			UNIT_NEAR(comparison.model.session_spread, 0.08, 0.03);
		comparison_release(&comparison);
		options.spread_of_functions = false;
		comparison_make(&comparison, &sides[0], &sides[1], &options);
		CU_ASSERT_EQUAL(comparison.model.session_spread, COMPARISON_SESSION_SPREAD);
		comparison_release(&comparison);
		profile_release(&sides[0]);
		profile_release(&sides[1]);
	}
}

static void
a_group_of_one_is_that_function(void)
{
	struct synthetic program = synthetic_program(20);
	struct rng rng = {.state = 9};
	struct profile sides[2];
	struct comparison comparison;
	struct effect group;

	for (int side = 0; side < 2; side++) {
		profile_init(&sides[side]);
		synthetic_add(
			&sides[side], &program, &(const struct synthetic_side){.nruns = 6}, &rng);
	}
	comparison_make(&comparison, &sides[0], &sides[1], &plain_options);
	bool *member = calloc(comparison.nframes, sizeof(*member));

	member[profile_frame(&comparison.profile, "f01", 3, FRAME_USER)] = true;
	comparison_group(&comparison, &comparison.model, member, true, &group);
	CU_ASSERT(same_effect(&group, effect_of(&comparison, "f01")));
	comparison_group(&comparison, &comparison.model, member, false, &group);
	CU_ASSERT(same_effect(&group, effect_of(&comparison, "f01")));
	/* All of the program has no rest to be compared with. */
	member[profile_frame(&comparison.profile, "main", 4, FRAME_USER)] = true;
	comparison_group(&comparison, &comparison.model, member, false, &group);
	CU_ASSERT_FALSE(group.relative);
	UNIT_NEAR(group.after_share, 1, 1e-12);
	free(member);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

/* The claim is 200 ms; sanitizers and busy machines get ten times that. */
static void
ten_thousand_functions_are_compared_in_time(void)
{
	struct profile sides[2];
	struct comparison comparison;
	struct rng rng = {.state = 1};
	struct timespec start;
	struct timespec end;

	for (int side = 0; side < 2; side++) {
		profile_init(&sides[side]);
		for (int run = 0; run < 30; run++) {
			size_t column = profile_add_run(&sides[side]);

			for (int i = 0; i < 10000; i++) {
				char name[16];
				int len = snprintf(name, sizeof(name), "f%d", i);
				frame_id frame =
					profile_frame(&sides[side], name, (size_t)len, FRAME_USER);

				ctree_add(&sides[side].tree, column,
					ctree_child(&sides[side].tree, CTREE_ROOT, frame),
					floor(20 * rng_uniform(&rng)) + 1);
			}
		}
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
	comparison_make(&comparison, &sides[0], &sides[1],
		&(const struct comparison_options){.alpha = 0.05});
	comparison_adjust_alone(&comparison, 0.05);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	double seconds =
		(double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;

	CU_ASSERT(seconds < 2);
	CU_ASSERT_TRUE(effect_of(&comparison, "f77")->tested);
	if (getenv("UNIT_TIMES"))
		fprintf(stderr, "10,000 functions: %.0f ms\n", seconds * 1000);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

void
suite_compare_comparison(void)
{
	static const struct unit_case cases[] = {
		{"estimate_is_the_ratio_to_the_stable_rest",
			estimate_is_the_ratio_to_the_stable_rest},
		{"interval_p_and_detectable_have_the_spread_in_them",
			interval_p_and_detectable_have_the_spread_in_them},
		{"detectable_growth_withstands_the_correction",
			detectable_growth_withstands_the_correction},
		{"an_interval_without_0_is_a_significant_p",
			an_interval_without_0_is_a_significant_p},
		{"order_of_runs_changes_no_bit", order_of_runs_changes_no_bit},
		{"spread_is_learned_from_five_sessions", spread_is_learned_from_five_sessions},
		{"spread_is_learned_from_most_functions", spread_is_learned_from_most_functions},
		{"a_group_of_one_is_that_function", a_group_of_one_is_that_function},
		{"ten_thousand_functions_are_compared_in_time",
			ten_thousand_functions_are_compared_in_time},
		{NULL, NULL},
	};

	unit_suite("compare/comparison", cases);
}
