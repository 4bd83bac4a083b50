/* Reference values: tests/unit/judge/compare/reference.py, which makes the same runs. */
#include "compare/comparison.h"

#include "compare/adjust.h"
#include "compare/comparison_fixture.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>

void suite_compare_model_paired(void);

#define PAIRS 6
#define FUNCTIONS 9

static const struct comparison_options paired_options = {
	.mode = COMPARISON_PAIRED, .alpha = 0.05, .min_share = 0.01};

/* The tests of f00 to f08, and of the whole. */
struct expected {
	double change;
	double error;
	double df;
	double low;
	double p;
};

static const struct expected alike[] = {
	{0.022199668866560884, 0.0066655390203458386, 65, 0.0047699332558955813,
		0.0085702687966777817},
	{-0.0059334728399121905, 0.010494932964844057, 65, -0.033973221227834284, 1},
	{-0.0054432803714955513, 0.013016766187900625, 65, -0.041651714272392913, 1},
	{-0.0099014999710377305, 0.014914797819400976, 65, -0.052432475259427729, 1},
	{0.020429252309380974, 0.016198958699176449, 65, -0.028378884687777151,
		0.82663561390893603},
	{-0.0076155458635202011, 0.017390943587360177, 65, -0.059279221044610218, 1},
	{-0.0067343313884881129, 0.018145251300900157, 65, -0.061312379977712057, 1},
	{-0.010280905453532108, 0.018607904945527928, 65, -0.066401610510455136, 1},
	{0.016752692498562149, 0.018800829328697859, 65, -0.041941685214903331, 1},
	{0.0056264753863262216, 0.0035485278539466214, 5, -0.0035049187299804087,
		0.17468840270355437},
};

static const struct expected mixed[] = {
	{0.021864521267943138, 0.0066653234530139049, 9.5047767918483004, 0.0027908973012396392,
		0.024810634341460681},
	{-0.0041029104692161811, 0.010502845965956227, 9.5047767918483004, -0.03473058901301173, 1},
	{-0.00049686010663319014, 0.013000025039494925, 9.5047767918483004, -0.039939730768345609,
		1},
	{-0.010232027832343116, 0.014914701481932259, 9.5047767918483004, -0.056225562381142062, 1},
	{0.019546990451701829, 0.016211233786524143, 9.5047767918483004, -0.03313312402258102,
		0.87200822205582884},
	{-0.0069467551722474097, 0.017449884342116948, 9.5047767918483004, -0.062915347957110568,
		1},
	{-0.0070651571117863465, 0.018145172114762735, 9.5047767918483004, -0.065812762174869144,
		1},
	{-0.012798846670005304, 0.01858612315924572, 9.5047767918483004, -0.072929001558158305, 1},
	{0.007306700704792668, 0.01876260666842329, 9.5047767918483004, -0.054980330552490679, 1},
	{0.0056264753863262216, 0.0035485278539466214, 5, -0.0035049187299804087,
		0.17468840270355437},
};

static const struct expected scattered[] = {
	{0.020828746329723424, 0.0066646758331816609, 5, -0.00039882167032115405,
		0.053780089297206707},
	{0.0013854604655818559, 0.013272004695072087, 5, -0.039641560053888143, 1},
	{0.014219565033723125, 0.01797773460463778, 5, -0.04226776271555098, 0.87292078332425282},
	{-0.01125307763733252, 0.014914412074341073, 5, -0.061768077567622773, 1},
	{0.016940647388814734, 0.021080057396518501, 5, -0.052669202927302726, 0.99707998477107029},
	{-0.0045112659910219177, 0.054118064096910348, 5, -0.15029354935047698, 1},
	{-0.0080870124394970544, 0.018144934232519599, 5, -0.072271095283014994, 1},
	{-0.020360923229980177, 0.033617403776700305, 5, -0.12005947685602249, 1},
	{-0.019823333688619993, 0.02342697006936607, 5, -0.096456016403124178, 1},
	{0.0056264753863262216, 0.0035485278539466214, 5, -0.0035049187299804087,
		0.17468840270355437},
};

/* Samples and cost of one run; `scatter` makes some functions vary more than others. */
static double
reference_run(int side, int run, int scatter, double samples[FUNCTIONS])
{
	for (int f = 0; f < FUNCTIONS; f++) {
		int base = 5000 / (f + 1) + 40 * f;
		int noise = (run * 7 + f * 5 + side * 3) * (run + 2 * f + 1) % 11 - 5;
		int grown = side == 1 && f % 4 == 0 ? base * 3 / 100 : 0;

		samples[f] = base + grown + noise * (1 + scatter * (f % 3)) * (2 + f % 2);
	}
	return 1e9 + 1e6 * ((side * 13 + run * run * 5) % 17) + 4e6 * side;
}

/* The reference's runs, those of the second side in another order. */
static void
add_reference_runs(struct profile sides[2], int scatter)
{
	for (int side = 0; side < 2; side++) {
		profile_init(&sides[side]);
		for (int i = 0; i < PAIRS; i++) {
			int run = side == 0 ? i : (i + 2) % PAIRS;
			double samples[FUNCTIONS];
			double cost = reference_run(side, run, scatter, samples);

			add_run(&sides[side], samples, FUNCTIONS, cost);
			sides[side].runs[i].pair = (uint32_t)run + 1;
		}
	}
}

static void
release_sides(struct profile sides[2])
{
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

static void
check_effect(const struct effect *effect, const struct expected *expected)
{
	CU_ASSERT_TRUE(effect->tested);
	CU_ASSERT_FALSE(effect->relative);
	CU_ASSERT_EQUAL(effect->spread, 0);
	UNIT_NEAR(effect->change, expected->change, 1e-12);
	UNIT_NEAR(effect->standard_error / expected->error, 1, 1e-11);
	UNIT_NEAR(effect->df, expected->df, 1e-9);
	UNIT_NEAR(effect->low, expected->low, 1e-11);
	UNIT_NEAR(effect->p, expected->p, 1e-10);
}

static void
functions_and_whole_agree_with_the_reference(void)
{
	static const struct {
		int scatter;
		const struct expected *expected;
	} cases[] = {{0, alike}, {1, mixed}, {4, scattered}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile sides[2];
		struct comparison comparison;

		add_reference_runs(sides, cases[i].scatter);
		comparison_make(&comparison, &sides[0], &sides[1], &paired_options);
		for (size_t f = 0; f < FUNCTIONS; f++) {
			char name[8];

			check_effect(effect_of(&comparison, synthetic_name(f, name)),
				&cases[i].expected[f]);
		}
		check_effect(&comparison.whole, &cases[i].expected[FUNCTIONS]);
		CU_ASSERT(isnan(comparison.model.machine_speed) &&
			  isnan(comparison.model.reference_share));
		comparison_release(&comparison);
		release_sides(sides);
	}
}

static void
detectable_growth_lies_beyond_the_margin(void)
{
	struct profile sides[2];
	struct comparison comparison;

	add_reference_runs(sides, 0);
	comparison_make(&comparison, &sides[0], &sides[1], &paired_options);
	comparison_adjust_alone(&comparison, 0.05);
	const struct effect *effect = effect_of(&comparison, "f02");

	UNIT_NEAR(effect->margin, MODEL_PAIRED_WORTH / effect->before_share, 1e-12);
	UNIT_NEAR(log1p(effect->detectable),
		log1p(effect->margin) + model_detectable_reach(effect->df, 0.05 / (FUNCTIONS + 1)) *
						effect->standard_error,
		1e-12);
	CU_ASSERT_EQUAL(comparison.whole.margin, 0);
	comparison_release(&comparison);
	release_sides(sides);
}

static bool
same_comparison(struct comparison *one, struct comparison *other, size_t nfunctions)
{
	bool same = same_effect(&one->whole, &other->whole);

	for (size_t f = 0; f < nfunctions; f++) {
		char name[8];

		synthetic_name(f, name);
		same = same && same_effect(effect_of(one, name), effect_of(other, name));
	}
	return same;
}

static void
a_run_without_partner_is_left_out(void)
{
	struct profile sides[2];
	struct comparison whole_pairs;
	struct comparison with_rest;
	double samples[FUNCTIONS];

	add_reference_runs(sides, 0);
	comparison_make(&whole_pairs, &sides[0], &sides[1], &paired_options);
	comparison_adjust_alone(&whole_pairs, 0.05);
	reference_run(0, 3, 0, samples);
	/* One whose partner was too poor, and one of no pair at all. */
	add_run(&sides[0], samples, FUNCTIONS, 7e9);
	sides[0].runs[PAIRS].pair = PAIRS + 1;
	add_run(&sides[1], samples, FUNCTIONS, 5e9);
	comparison_make(&with_rest, &sides[0], &sides[1], &paired_options);
	comparison_adjust_alone(&with_rest, 0.05);
	CU_ASSERT_EQUAL(with_rest.model.npairs, PAIRS);
	CU_ASSERT(same_comparison(&whole_pairs, &with_rest, FUNCTIONS));
	comparison_release(&whole_pairs);
	comparison_release(&with_rest);
	release_sides(sides);
}

static void
fewer_than_two_pairs_are_not_tested(void)
{
	for (size_t npairs = 0; npairs < 2; npairs++) {
		struct profile sides[2];
		struct comparison comparison;

		add_reference_runs(sides, 0);
		for (size_t i = 0; i < PAIRS; i++)
			sides[0].runs[i].pair = i < npairs ? 1 : 0;
		comparison_make(&comparison, &sides[0], &sides[1], &paired_options);
		comparison_adjust_alone(&comparison, 0.05);
		CU_ASSERT_FALSE(comparison.whole.tested);
		CU_ASSERT_FALSE(effect_of(&comparison, "f00")->tested);
		CU_ASSERT(comparison.whole.before_cost >= 1e9);
		comparison_release(&comparison);
		release_sides(sides);
	}
}

/* The least number of pairs: the spread of whole costs is that of two differences. */
static void
two_pairs_have_a_spread_of_whole_cost(void)
{
	static const double costs[2][2] = {{1e9, 1.1e9}, {1.05e9, 1.2e9}};
	const double spread = (log(1.05) - log(1.2 / 1.1)) / 2;
	double samples[] = {30000, 70000};
	struct profile sides[2];
	struct comparison comparison;

	for (int side = 0; side < 2; side++) {
		profile_init(&sides[side]);
		for (uint32_t j = 0; j < 2; j++) {
			add_run(&sides[side], samples, 2, costs[side][j]);
			sides[side].runs[j].pair = j + 1;
		}
	}
	comparison_make(&comparison, &sides[0], &sides[1], &paired_options);
	UNIT_NEAR(comparison.model.cost_variance, spread * spread, 1e-15);
	UNIT_NEAR(comparison.whole.standard_error, fabs(spread), 1e-12);
	CU_ASSERT_EQUAL(comparison.whole.df, 1);
	CU_ASSERT_TRUE(effect_of(&comparison, "f00")->tested);
	comparison_release(&comparison);
	release_sides(sides);
}

/* A machine that is slower for a while slows both runs of a pair. */
static void
noise_that_a_pair_shares_does_not_count(void)
{
	double samples[] = {30000, 70000};
	struct profile sides[2];
	struct comparison comparison;

	profile_init(&sides[0]);
	profile_init(&sides[1]);
	for (uint32_t j = 0; j < 8; j++) {
		for (int side = 0; side < 2; side++) {
			add_run(&sides[side], samples, 2, (1 + 0.2 * (j % 3)) * 1e9);
			sides[side].runs[j].pair = j + 1;
		}
	}
	comparison_make(&comparison, &sides[0], &sides[1], &paired_options);
	UNIT_NEAR(comparison.whole.standard_error, 0, 1e-12);
	UNIT_NEAR(effect_of(&comparison, "f00")->standard_error, sqrt(2 * 0.7 / 240000), 1e-12);
	comparison_release(&comparison);
	release_sides(sides);
}

static void
simulate_pairs(struct synthetic_pairs *pairs, const struct synthetic *program, uint32_t nstages)
{
	struct rng rng = {.state = 17};

	*pairs = (struct synthetic_pairs){.autocorrelation = 0.5};
	profile_init(&pairs->sides[0]);
	profile_init(&pairs->sides[1]);
	for (uint32_t stage = 0; stage < nstages; stage++) {
		synthetic_add_pairs(pairs, program, 8 - stage, stage);
		synthetic_draw_pairs(pairs, program, NULL, &rng);
	}
}

/* The runs of one side in another order, which gives nodes and functions other ids too. */
static void
shuffle_runs(const struct profile *from, size_t step, struct profile *into)
{
	profile_init(into);
	for (size_t i = 0; i < from->nruns; i++) {
		size_t run = (i * step + 3) % from->nruns;
		size_t column = profile_add_run(into);

		into->runs[column] = from->runs[run];
		for (size_t node = from->tree.nnodes; node-- > 1;) {
			const char *name = profile_frame_name(from, from->tree.nodes[node].frame);
			double weight = ctree_weight(&from->tree, run, (node_id)node);

			if (weight > 0)
				ctree_add(&into->tree, column,
					ctree_child(&into->tree, CTREE_ROOT,
						profile_frame(
							into, name, strlen(name), FRAME_USER)),
					weight);
		}
	}
}

static void
order_of_runs_changes_no_bit_of_pairs(void)
{
	struct synthetic program = synthetic_program(30);
	struct synthetic_pairs pairs;
	struct profile flat[2];
	struct profile other_order[2];
	struct comparison one;
	struct comparison other;

	simulate_pairs(&pairs, &program, 1);
	for (int side = 0; side < 2; side++) {
		/* Equal costs leave the weights alone to tell the runs apart. */
		for (size_t run = 0; run < 8; run += 2)
			pairs.sides[side].runs[run].cost_total = 1e9;
		shuffle_runs(&pairs.sides[side], 1, &flat[side]);
		shuffle_runs(&pairs.sides[side], side == 0 ? 3 : 5, &other_order[side]);
	}
	comparison_make(&one, &flat[0], &flat[1], &paired_options);
	comparison_make(&other, &other_order[0], &other_order[1], &paired_options);
	comparison_adjust_alone(&one, 0.05);
	comparison_adjust_alone(&other, 0.05);
	CU_ASSERT(effect_of(&one, "f00")->tested);
	CU_ASSERT(same_comparison(&one, &other, program.nfunctions));
	comparison_release(&one);
	comparison_release(&other);
	for (int side = 0; side < 2; side++) {
		profile_release(&flat[side]);
		profile_release(&other_order[side]);
		profile_release(&pairs.sides[side]);
	}
}

static void
the_same_seed_gives_the_same_bits(void)
{
	struct synthetic program = synthetic_program(20);
	struct comparison comparisons[2];

	for (int i = 0; i < 2; i++) {
		struct synthetic_pairs pairs;

		simulate_pairs(&pairs, &program, 2);
		comparison_make(&comparisons[i], &pairs.sides[0], &pairs.sides[1], &paired_options);
		comparison_adjust_alone(&comparisons[i], 0.05);
		release_sides(pairs.sides);
	}
	CU_ASSERT(same_comparison(&comparisons[0], &comparisons[1], program.nfunctions));
	comparison_release(&comparisons[0]);
	comparison_release(&comparisons[1]);
}

void
suite_compare_model_paired(void)
{
	static const struct unit_case cases[] = {
		{"functions_and_whole_agree_with_the_reference",
			functions_and_whole_agree_with_the_reference},
		{"detectable_growth_lies_beyond_the_margin",
			detectable_growth_lies_beyond_the_margin},
		{"a_run_without_partner_is_left_out", a_run_without_partner_is_left_out},
		{"fewer_than_two_pairs_are_not_tested", fewer_than_two_pairs_are_not_tested},
		{"two_pairs_have_a_spread_of_whole_cost", two_pairs_have_a_spread_of_whole_cost},
		{"noise_that_a_pair_shares_does_not_count",
			noise_that_a_pair_shares_does_not_count},
		{"order_of_runs_changes_no_bit_of_pairs", order_of_runs_changes_no_bit_of_pairs},
		{"the_same_seed_gives_the_same_bits", the_same_seed_gives_the_same_bits},
		{NULL, NULL},
	};

	unit_suite("compare/model_paired", cases);
}
