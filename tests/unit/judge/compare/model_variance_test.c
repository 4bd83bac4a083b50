/* The ratio estimator by itself. Reference values: its formulas, evaluated by hand in Python. */
#include "compare/model.h"

#include "unit.h"

#include <math.h>

void suite_compare_model_variance(void);

/* Before: a session of two runs and one of three; after: one of two and one of a single run. */
#define RUNS 8
#define BEFORE 5

static const uint32_t sessions[RUNS] = {1, 1, 2, 2, 2, 3, 3, 4};
static const double numerators[RUNS] = {10, 14, 9, 12, 11, 20, 18, 19};
static const double denominators[RUNS] = {100, 110, 95, 105, 100, 120, 100, 110};

struct bench {
	struct model model;
	struct model_run runs[RUNS];
	double numerators[RUNS];
	double denominators[RUNS];
};

/* With all denominators multiplied by `scale`. */
static void
init(struct bench *bench, double scale)
{
	*bench = (struct bench){0};
	for (size_t i = 0; i < RUNS; i++) {
		bench->runs[i].session = sessions[i];
		bench->numerators[i] = numerators[i];
		bench->denominators[i] = denominators[i] * scale;
	}
	bench->model = (struct model){
		.runs = bench->runs,
		.nruns = RUNS,
		.first = {0, BEFORE, RUNS},
	};
}

static void
the_variance_is_that_of_residuals_within_sessions(void)
{
	static const double scales[] = {1, 1e-3, 1e3};
	struct model_ratio ratio;
	struct bench bench;

	for (size_t i = 0; i < 3; i++) {
		init(&bench, scales[i]);
		model_ratio(&bench.model, bench.numerators, bench.denominators, &ratio);
		UNIT_NEAR(
			ratio.log_ratio[MODEL_BEFORE] + log(scales[i]), -2.2090590349832224, 1e-12);
		UNIT_NEAR(
			ratio.log_ratio[MODEL_AFTER] + log(scales[i]), -1.7560413866259759, 1e-12);
		UNIT_NEAR(ratio.variance[MODEL_BEFORE], 0.0035767215049285037, 1e-15);
		UNIT_NEAR(ratio.variance[MODEL_AFTER], 0.00065118574310213579, 1e-15);
		CU_ASSERT_EQUAL(ratio.df[MODEL_BEFORE], 3);
		CU_ASSERT_EQUAL(ratio.df[MODEL_AFTER], 1);
		UNIT_NEAR(ratio.size[MODEL_BEFORE] / scales[i], 510, 1e-9);
		UNIT_NEAR(ratio.size[MODEL_AFTER] / scales[i], 330, 1e-9);
	}
}

static void
without_a_denominator_it_is_that_of_means(void)
{
	struct model_ratio ratio;
	struct bench bench;

	init(&bench, 1);
	model_ratio(&bench.model, bench.numerators, NULL, &ratio);
	UNIT_NEAR(ratio.log_ratio[MODEL_BEFORE], log(56.0 / 5), 1e-12);
	UNIT_NEAR(ratio.log_ratio[MODEL_AFTER], log(19), 1e-12);
	UNIT_NEAR(ratio.variance[MODEL_BEFORE], 0.0073341836734693881, 1e-15);
	UNIT_NEAR(ratio.variance[MODEL_AFTER], 0.0012311480455524776, 1e-15);
	CU_ASSERT_EQUAL(ratio.size[MODEL_BEFORE], 5);
	CU_ASSERT_EQUAL(ratio.size[MODEL_AFTER], 3);
}

static void
a_session_without_a_denominator_has_no_variance(void)
{
	struct model_ratio ratio;
	struct bench bench;

	init(&bench, 1);
	bench.denominators[0] = bench.denominators[1] = 0;
	model_ratio(&bench.model, bench.numerators, bench.denominators, &ratio);
	UNIT_NEAR(ratio.log_ratio[MODEL_BEFORE], log(56.0 / 300), 1e-12);
	/* Residuals of the second session, about 32 / 300. */
	UNIT_NEAR(ratio.variance[MODEL_BEFORE], 1.5 * (17.0 / 15 * 17 / 15 + 0.64 + 1.0 / 9) / 3136,
		1e-15);
	CU_ASSERT(
		isnan(model_session_variance(&bench.model, bench.numerators, bench.denominators)));
}

static void
a_side_without_values_has_no_variance(void)
{
	struct model_ratio ratio;
	struct bench bench;

	init(&bench, 1);
	for (size_t i = BEFORE; i < RUNS; i++)
		bench.numerators[i] = 0;
	model_ratio(&bench.model, bench.numerators, bench.denominators, &ratio);
	CU_ASSERT_EQUAL(ratio.variance[MODEL_AFTER], 0);
	CU_ASSERT(isinf(ratio.log_ratio[MODEL_AFTER]));
}

static void
sides_are_pooled_with_satterthwaites_degrees_of_freedom(void)
{
	struct model_estimate estimate = {0};
	struct model_ratio ratio;
	struct bench bench;

	init(&bench, 1);
	model_ratio(&bench.model, bench.numerators, bench.denominators, &ratio);
	model_pool(&ratio, &estimate);
	UNIT_NEAR(estimate.log_change, 0.45301764835724656, 1e-12);
	UNIT_NEAR(estimate.variance, 0.0042279072480306398, 1e-15);
	UNIT_NEAR(estimate.df, 2.3805668016194335, 1e-12);
	/* A side without one has the other's, by size. */
	bench.runs[6].session = 5;
	model_ratio(&bench.model, bench.numerators, bench.denominators, &ratio);
	model_pool(&ratio, &estimate);
	UNIT_NEAR(estimate.variance, 0.0091043820125452837, 1e-15);
	CU_ASSERT_EQUAL(estimate.df, 3);
	/* For runs that are sessions of their own nothing is known. */
	for (size_t i = 0; i < RUNS; i++)
		bench.runs[i].session = (uint32_t)i;
	model_ratio(&bench.model, bench.numerators, bench.denominators, &ratio);
	model_pool(&ratio, &estimate);
	CU_ASSERT_EQUAL(estimate.variance, 0);
	CU_ASSERT_EQUAL(estimate.df, 0);
}

static void
sessions_vary_by_what_their_runs_do_not_explain(void)
{
	static const double scales[] = {1, 1e-3};
	struct bench bench;

	for (size_t i = 0; i < 2; i++) {
		init(&bench, scales[i]);
		UNIT_NEAR(
			model_session_variance(&bench.model, bench.numerators, bench.denominators),
			-0.0061970450591127008, 1e-14);
	}
	/* One session does not vary. */
	bench.model.first[MODEL_AFTER] = 2;
	CU_ASSERT(
		isnan(model_session_variance(&bench.model, bench.numerators, bench.denominators)));
	bench.model.first[MODEL_AFTER] = BEFORE;
	bench.numerators[0] = bench.numerators[1] = 0;
	CU_ASSERT(
		isnan(model_session_variance(&bench.model, bench.numerators, bench.denominators)));
}

static void
a_rest_is_large_from_a_tenth_of_the_samples_and_fifty(void)
{
	static const struct {
		double before;
		double after;
		bool large;
	} cases[] = {
		{100, 100, true},
		{99.9, 100, false},
		{100, 99.9, false},
		{1000, 1000, true},
	};
	struct bench bench;

	init(&bench, 1);
	bench.model.samples[MODEL_BEFORE] = bench.model.samples[MODEL_AFTER] = 1000;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const double rest[RUNS] = {
			[0] = cases[i].before / 2, [4] = cases[i].before / 2, [7] = cases[i].after};

		CU_ASSERT_EQUAL(model_rest_is_large(&bench.model, rest), cases[i].large);
	}
	bench.model.samples[MODEL_BEFORE] = bench.model.samples[MODEL_AFTER] = 100;
	const double fifty[RUNS] = {[2] = 50, [6] = 50};
	const double fewer[RUNS] = {[2] = 50, [6] = 49};

	CU_ASSERT(model_rest_is_large(&bench.model, fifty));
	CU_ASSERT_FALSE(model_rest_is_large(&bench.model, fewer));
}

void
suite_compare_model_variance(void)
{
	static const struct unit_case cases[] = {
		{"the_variance_is_that_of_residuals_within_sessions",
			the_variance_is_that_of_residuals_within_sessions},
		{"without_a_denominator_it_is_that_of_means",
			without_a_denominator_it_is_that_of_means},
		{"a_session_without_a_denominator_has_no_variance",
			a_session_without_a_denominator_has_no_variance},
		{"a_side_without_values_has_no_variance", a_side_without_values_has_no_variance},
		{"sides_are_pooled_with_satterthwaites_degrees_of_freedom",
			sides_are_pooled_with_satterthwaites_degrees_of_freedom},
		{"sessions_vary_by_what_their_runs_do_not_explain",
			sessions_vary_by_what_their_runs_do_not_explain},
		{"a_rest_is_large_from_a_tenth_of_the_samples_and_fifty",
			a_rest_is_large_from_a_tenth_of_the_samples_and_fifty},
		{NULL, NULL},
	};

	unit_suite("compare/model_variance", cases);
}
