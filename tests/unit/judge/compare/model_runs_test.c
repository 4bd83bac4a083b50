/* Which runs a model has, in which order, and what it takes for their samples and costs. */
#include "compare/comparison.h"

#include "compare/comparison_fixture.h"
#include "unit.h"

#include <math.h>

void suite_compare_model_runs(void);

struct run_case {
	double samples;
	double cost;
	uint32_t session;
	uint32_t pair;
	uint32_t stage;
};

/* A tenth of the samples is f00's. */
static void
add_cases(struct profile *profile, const struct run_case *cases, size_t n)
{
	profile_init(profile);
	for (size_t i = 0; i < n; i++) {
		const double weights[] = {cases[i].samples / 10, cases[i].samples * 9 / 10};

		add_run(profile, weights, 2, cases[i].cost);
		profile->runs[i].session = cases[i].session;
		profile->runs[i].pair = cases[i].pair;
		profile->runs[i].stage = cases[i].stage;
	}
}

static void
compare_cases(struct comparison *comparison, enum comparison_mode mode,
	const struct run_case *before, size_t nbefore, const struct run_case *after, size_t nafter)
{
	struct comparison_options options = plain_options;
	struct profile sides[2];

	options.mode = mode;
	add_cases(&sides[0], before, nbefore);
	add_cases(&sides[1], after, nafter);
	comparison_make(comparison, &sides[0], &sides[1], &options);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

static void
check_columns(const struct model *model, size_t first, const size_t *columns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		CU_ASSERT_EQUAL(model->runs[first + i].column, columns[i]);
}

/* By session, cost and samples; what is not known to weigh anything is left out. */
static void
runs_are_ordered_by_what_is_in_them(void)
{
	static const struct run_case before[] = {
		{5000, 1e9, 7, 0, 0},
		{3000, 3e9, 2, 0, 0},
		{2000, 3e9, 2, 0, 0},
		{0, 1e9, 2, 0, 0},
		{9000, 2e9, 2, 0, 0},
		{1000, 4e9, 1, 0, 0},
	};
	static const struct run_case after[] = {{4000, 2e9, 3, 0, 0}, {4000, 1e9, 3, 0, 0}};
	struct comparison comparison;

	compare_cases(&comparison, COMPARISON_STORED, before, 6, after, 2);
	const struct model *model = &comparison.model;

	CU_ASSERT_EQUAL(model->nruns, 7);
	CU_ASSERT_EQUAL(model->first[MODEL_AFTER], 5);
	CU_ASSERT_EQUAL(model->first[MODEL_SIDES], 7);
	check_columns(model, 0, (const size_t[]){5, 4, 2, 1, 0}, 5);
	check_columns(model, 5, (const size_t[]){7, 6}, 2);
	CU_ASSERT_EQUAL(model->nsessions[MODEL_BEFORE], 3);
	CU_ASSERT_EQUAL(model->nsessions[MODEL_AFTER], 1);
	CU_ASSERT_EQUAL(model->samples[MODEL_BEFORE], 20000);
	CU_ASSERT_EQUAL(model->samples[MODEL_AFTER], 8000);
	UNIT_NEAR(model->mean_cost[MODEL_BEFORE], 13e9 / 5, 1);
	UNIT_NEAR(model->mean_cost[MODEL_AFTER], 1.5e9, 1);
	comparison_release(&comparison);
}

static void
samples_stand_for_costs_unless_all_are_known(void)
{
	static const double unknown[] = {0, -1, NAN, INFINITY};
	struct run_case before[] = {{5000, 1e9, 0, 0, 0}, {6000, 2e9, 0, 0, 0}};
	struct run_case after[] = {{7000, 3e9, 0, 0, 0}, {8000, 4e9, 0, 0, 0}};
	struct comparison comparison;

	compare_cases(&comparison, COMPARISON_STORED, before, 2, after, 2);
	UNIT_NEAR(comparison.whole.before_cost, 1.5e9, 1);
	UNIT_NEAR(comparison.whole.after_cost, 3.5e9, 1);
	comparison_release(&comparison);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		after[1].cost = unknown[i];
		compare_cases(&comparison, COMPARISON_STORED, before, 2, after, 2);
		UNIT_NEAR(comparison.whole.before_cost, 5500, 1e-9);
		UNIT_NEAR(comparison.whole.after_cost, 7500, 1e-9);
		UNIT_NEAR(effect_of(&comparison, "f00")->after_cost, 750, 1e-9);
		comparison_release(&comparison);
	}
	/* The first of all as well. */
	after[1].cost = 4e9;
	before[0].cost = 0;
	compare_cases(&comparison, COMPARISON_STORED, before, 2, after, 2);
	UNIT_NEAR(comparison.whole.before_cost, 5500, 1e-9);
	comparison_release(&comparison);
}

/* Pairs are of one stage and number, and runs without a number are of none. */
static void
pairs_are_those_that_both_sides_have(void)
{
	static const struct run_case before[] = {
		{5000, 5e9, 0, 2, 0},
		{5000, 1e9, 0, 0, 0},
		{5000, 4e9, 0, 5, 0},
		{5000, 2e9, 0, 1, 0},
		{5000, 3e9, 0, 2, 1},
		{5000, 6e9, 0, 9, 1},
	};
	static const struct run_case after[] = {
		{5000, 1e9, 0, 0, 0},
		{5000, 7e9, 0, 5, 0},
		{5000, 3e9, 0, 9, 0},
		{5000, 8e9, 0, 2, 1},
		{5000, 9e9, 0, 2, 0},
	};
	struct comparison comparison;

	compare_cases(&comparison, COMPARISON_PAIRED, before, 6, after, 5);
	const struct model *model = &comparison.model;

	CU_ASSERT_EQUAL(model->npairs, 3);
	CU_ASSERT_EQUAL(model->nruns, 6);
	CU_ASSERT_EQUAL(model->first[MODEL_AFTER], 3);
	CU_ASSERT_EQUAL(model->first[MODEL_SIDES], 6);
	/* By the cost before: pair 2 of the second stage, then 5 and 2 of the first. */
	check_columns(model, 0, (const size_t[]){4, 2, 0}, 3);
	check_columns(model, 3, (const size_t[]){9, 7, 10}, 3);
	CU_ASSERT_TRUE(comparison.staged);
	/* One pair of the second stage tests nothing; the two of the first do. */
	CU_ASSERT_EQUAL(comparison.stages[COMPARISON_SCREEN].model.npairs, 2);
	CU_ASSERT_EQUAL(comparison.stages[COMPARISON_CONFIRM].model.npairs, 1);
	CU_ASSERT_TRUE(comparison.stages[COMPARISON_SCREEN].whole.tested);
	CU_ASSERT_FALSE(comparison.stages[COMPARISON_CONFIRM].whole.tested);
	CU_ASSERT_EQUAL(comparison.stages[COMPARISON_CONFIRM].model.nruns, 2);
	CU_ASSERT_EQUAL(comparison.stages[COMPARISON_CONFIRM].model.first[MODEL_AFTER], 1);
	comparison_release(&comparison);
}

/* No run is its own partner. */
static void
sides_without_a_number_in_common_have_no_pair(void)
{
	static const struct run_case one[] = {{5000, 1e9, 0, 1, 0}};
	static const struct run_case two[] = {{5000, 1e9, 0, 2, 0}, {5000, 2e9, 0, 3, 0}};
	struct comparison comparison;

	compare_cases(&comparison, COMPARISON_PAIRED, one, 1, two, 2);
	CU_ASSERT_EQUAL(comparison.model.npairs, 0);
	CU_ASSERT_EQUAL(comparison.model.nruns, 3);
	comparison_release(&comparison);
	compare_cases(&comparison, COMPARISON_PAIRED, two, 2, one, 1);
	CU_ASSERT_EQUAL(comparison.model.npairs, 0);
	comparison_release(&comparison);
	compare_cases(&comparison, COMPARISON_PAIRED, one, 0, two, 2);
	CU_ASSERT_EQUAL(comparison.model.npairs, 0);
	comparison_release(&comparison);
}

/* Runs of equal cost and number of samples are ordered by their stacks, however they came. */
static void
runs_alike_are_ordered_by_their_stacks(void)
{
	static const double weights[3][2] = {{1000, 9000}, {2000, 8000}, {3000, 7000}};
	static const size_t orders[6][3] = {
		{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

	for (size_t i = 0; i < 6; i++) {
		struct comparison comparison;
		struct profile sides[2];

		for (int side = 0; side < 2; side++) {
			profile_init(&sides[side]);
			for (size_t k = 0; k < 3; k++)
				add_run(&sides[side], weights[orders[i][k]], 2, 1e9);
		}
		comparison_make(&comparison, &sides[0], &sides[1], &plain_options);
		const struct model_run *runs = comparison.model.runs;

		CU_ASSERT(runs[0].contents < runs[1].contents);
		CU_ASSERT(runs[1].contents < runs[2].contents);
		comparison_release(&comparison);
		profile_release(&sides[0]);
		profile_release(&sides[1]);
	}
}

/* A run is in one pair, though a file may have given its number twice. */
static void
a_run_has_one_partner(void)
{
	static const struct run_case twice[] = {
		{5000, 1e9, 0, 1, 0}, {5000, 2e9, 0, 1, 0}, {5000, 3e9, 0, 2, 0}};
	static const struct run_case once[] = {{5000, 4e9, 0, 1, 0}, {5000, 5e9, 0, 2, 0}};
	struct comparison comparison;

	compare_cases(&comparison, COMPARISON_PAIRED, twice, 3, once, 2);
	CU_ASSERT_EQUAL(comparison.model.npairs, 2);
	check_columns(&comparison.model, 0, (const size_t[]){0, 2, 3, 4}, 4);
	comparison_release(&comparison);
	compare_cases(&comparison, COMPARISON_PAIRED, once, 2, twice, 3);
	CU_ASSERT_EQUAL(comparison.model.npairs, 2);
	check_columns(&comparison.model, 0, (const size_t[]){0, 1, 2, 4}, 4);
	comparison_release(&comparison);
}

/* Among pairs that cost the same before, the cheaper one after comes first. */
static void
pairs_alike_before_are_ordered_by_what_came_after(void)
{
	static const struct run_case before[] = {
		{5000, 1e9, 0, 1, 0}, {5000, 1e9, 0, 2, 0}, {5000, 1e9, 0, 3, 0}};
	static const struct run_case after[] = {
		{5000, 3e9, 0, 1, 0}, {5000, 1e9, 0, 2, 0}, {5000, 2e9, 0, 3, 0}};
	struct comparison comparison;

	compare_cases(&comparison, COMPARISON_PAIRED, before, 3, after, 3);
	check_columns(&comparison.model, 0, (const size_t[]){1, 2, 0}, 3);
	check_columns(&comparison.model, 3, (const size_t[]){4, 5, 3}, 3);
	comparison_release(&comparison);
}

/* Each run of the baseline belongs to both stages, but in paired mode. */
static void
stored_baselines_belong_to_both_stages(void)
{
	static const struct run_case before[] = {{5000, 1e9, 0, 1, 0}, {6000, 2e9, 0, 2, 1}};
	static const struct run_case after[] = {
		{7000, 3e9, 0, 1, 0}, {8000, 4e9, 0, 2, 1}, {9000, 5e9, 0, 3, 2}};
	struct comparison comparison;

	compare_cases(&comparison, COMPARISON_STORED, before, 2, after, 3);
	CU_ASSERT_EQUAL(comparison.model.nruns, 5);
	for (int i = 0; i < COMPARISON_STAGES; i++)
		CU_ASSERT_EQUAL(comparison.stages[i].model.first[MODEL_AFTER], 2);
	CU_ASSERT_EQUAL(comparison.stages[COMPARISON_SCREEN].model.samples[MODEL_AFTER], 7000);
	CU_ASSERT_EQUAL(comparison.stages[COMPARISON_CONFIRM].model.samples[MODEL_AFTER], 17000);
	comparison_release(&comparison);
}

/* Weights of 250 us each say as much as samples do where the number of samples is known. */
static void
weights_in_time_are_scaled_to_samples(void)
{
	static const struct run_case runs[2][3] = {
		{{5000, 1e9, 0, 0, 0}, {5100, 1.1e9, 0, 0, 0}, {5050, 1.05e9, 0, 0, 0}},
		{{5300, 1.1e9, 0, 0, 0}, {5250, 1e9, 0, 0, 0}, {5200, 1.2e9, 0, 0, 0}},
	};
	static const double factors[] = {1, 250000};
	struct effect effects[2];

	for (int i = 0; i < 2; i++) {
		struct comparison comparison;
		struct profile sides[2];

		for (int side = 0; side < 2; side++) {
			struct run_case scaled[3];

			for (size_t run = 0; run < 3; run++) {
				scaled[run] = runs[side][run];
				scaled[run].samples *= factors[i];
			}
			add_cases(&sides[side], scaled, 3);
			for (size_t run = 0; run < 3; run++)
				sides[side].runs[run].samples = (uint64_t)runs[side][run].samples;
			if (i == 1)
				sides[side].unit = strtab_intern_str(&sides[side].strings, "ns");
		}
		comparison_make(&comparison, &sides[0], &sides[1], &plain_options);
		CU_ASSERT_EQUAL(comparison.model.samples[MODEL_BEFORE], 15150);
		effects[i] = *effect_of(&comparison, "f00");
		UNIT_NEAR(effects[i].before_weight, 1515, 1e-9);
		UNIT_NEAR(effects[i].before_cost, 1.05e8, 1);
		comparison_release(&comparison);
		profile_release(&sides[0]);
		profile_release(&sides[1]);
	}
	UNIT_NEAR(effects[1].change, effects[0].change, 1e-12);
	UNIT_NEAR(effects[1].standard_error, effects[0].standard_error, 1e-12);
}

static void
times_stand_for_costs_in_their_own_unit(void)
{
	static const struct run_case runs[] = {{3e9, 0, 0, 0, 0}, {5e9, 0, 0, 0, 0}};
	struct comparison comparison;
	struct profile sides[2];

	for (int side = 0; side < 2; side++) {
		add_cases(&sides[side], &runs[side], 1);
		sides[side].unit = strtab_intern_str(&sides[side].strings, "ns");
		sides[side].runs[0].samples = 1000;
	}
	comparison_make(&comparison, &sides[0], &sides[1], &plain_options);
	UNIT_NEAR(comparison.whole.before_cost, 3e9, 1e-3);
	UNIT_NEAR(comparison.whole.after_cost, 5e9, 1e-3);
	UNIT_NEAR(effect_of(&comparison, "f00")->after_cost, 5e8, 1e-3);
	CU_ASSERT_EQUAL(comparison.model.samples[MODEL_BEFORE], 1000);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

static void
a_weight_of_one_sample_is_one(void)
{
	static const struct run_case runs[] = {{250000, 1e9, 0, 0, 0}, {500000, 1e9, 0, 0, 0}};
	struct comparison comparison;
	struct profile sides[2];

	for (int side = 0; side < 2; side++) {
		add_cases(&sides[side], runs, 2);
		sides[side].runs[0].samples = 1;
		sides[side].runs[1].samples = 2;
		sides[side].unit = strtab_intern_str(&sides[side].strings, "ns");
	}
	comparison_make(&comparison, &sides[0], &sides[1], &plain_options);
	CU_ASSERT_EQUAL(comparison.model.samples[MODEL_BEFORE], 3);
	comparison_release(&comparison);
	/* Where their number is not known, weights stand for them. */
	for (int side = 0; side < 2; side++)
		sides[side].runs[1].samples = 0;
	comparison_make(&comparison, &sides[0], &sides[1], &plain_options);
	CU_ASSERT_EQUAL(comparison.model.samples[MODEL_BEFORE], 500001);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

void
suite_compare_model_runs(void)
{
	static const struct unit_case cases[] = {
		{"runs_are_ordered_by_what_is_in_them", runs_are_ordered_by_what_is_in_them},
		{"sides_without_a_number_in_common_have_no_pair",
			sides_without_a_number_in_common_have_no_pair},
		{"runs_alike_are_ordered_by_their_stacks", runs_alike_are_ordered_by_their_stacks},
		{"a_run_has_one_partner", a_run_has_one_partner},
		{"a_weight_of_one_sample_is_one", a_weight_of_one_sample_is_one},
		{"samples_stand_for_costs_unless_all_are_known",
			samples_stand_for_costs_unless_all_are_known},
		{"pairs_are_those_that_both_sides_have", pairs_are_those_that_both_sides_have},
		{"pairs_alike_before_are_ordered_by_what_came_after",
			pairs_alike_before_are_ordered_by_what_came_after},
		{"stored_baselines_belong_to_both_stages", stored_baselines_belong_to_both_stages},
		{"weights_in_time_are_scaled_to_samples", weights_in_time_are_scaled_to_samples},
		{"times_stand_for_costs_in_their_own_unit",
			times_stand_for_costs_in_their_own_unit},
		{NULL, NULL},
	};

	unit_suite("compare/model_runs", cases);
}
