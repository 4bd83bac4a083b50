/* What the functions of a comparison have in common, from estimates given by hand. */
#include "compare/model.h"

#include "unit.h"

#include <math.h>

void suite_compare_model_learn(void);

/*
 * Ratios of variances of 1 and 3 by turns: their mean is 2, their squared CV (8 / 7) / 2^2, and
 * that of chi-square with 10 degrees of freedom 2 / 10. So 2 / d0 is (2 / 7 - 0.2) / 1.2.
 */
static void
dispersion_is_learned_from_eight_functions_with_an_expectation(void)
{
	struct model_estimate estimates[10] = {{.known = false}};
	struct model model = {.options = {.mode = COMPARISON_STORED}};

	for (size_t i = 0; i < 8; i++)
		estimates[i] = (struct model_estimate){
			.known = true,
			/* 10 on the average. */
			.df = i == 0 ? 0.5 : 79.5 / 7,
			.expected = 0.01,
			.variance = i % 2 == 0 ? 0.01 : 0.03,
			.spread_variance = NAN,
		};
	estimates[8] = estimates[9] = estimates[1];
	estimates[8].expected = 0;
	estimates[9].df = 0;
	model_learn(&model, estimates, 10);
	UNIT_NEAR(model.prior_q, 2, 1e-12);
	UNIT_NEAR(model.prior_df, 28, 1e-9);
	/* Seven are too few. */
	model = (struct model){.options = {.mode = COMPARISON_STORED}};
	model_learn(&model, estimates + 1, 9);
	CU_ASSERT_EQUAL(model.prior_q, 0);
	CU_ASSERT_EQUAL(model.prior_df, 0);
}

/* The median of chi-square over its degrees of freedom is (1 - 2 / 9d)^3 or so: with 4, (17/18)^3.
 */
static void
the_spread_of_sessions_is_learned_from_one_function(void)
{
	const struct model_estimate estimates[] = {
		{.known = true, .spread_variance = 0.04},
		{.known = true, .spread_variance = NAN},
		{.known = false, .spread_variance = 9},
	};
	struct model model = {
		.options = {.mode = COMPARISON_STORED},
		.nsessions = {5, 1},
		.session_spread = 0.5,
	};

	model_learn(&model, estimates + 1, 2);
	CU_ASSERT_EQUAL(model.session_spread_from, SPREAD_ASSUMED);
	CU_ASSERT_EQUAL(model.session_spread, 0.5);
	model_learn(&model, estimates, 3);
	CU_ASSERT_EQUAL(model.session_spread_from, SPREAD_OF_SESSIONS);
	UNIT_NEAR(model.session_spread, sqrt(0.04 * 5832 / 4913), 1e-12);
	CU_ASSERT_EQUAL(model.session_df, 8 + 4);
}

/* Five functions that changed by `log_change`, whose runs do not vary, on one day a side. */
static struct model
learned(double log_change, double assumed)
{
	struct model_estimate estimates[5];
	struct model model = {
		.options = {.mode = COMPARISON_STORED, .spread_of_functions = true},
		.nsessions = {1, 1},
		.session_spread = assumed,
	};

	for (size_t i = 0; i < 5; i++)
		estimates[i] = (struct model_estimate){.known = true,
			.relative = true,
			.log_change = log_change,
			.spread_variance = NAN};
	model_learn(&model, estimates, 5);
	return model;
}

/*
 * Sessions of 10 % (SD) on either side make a variance of 0.02. By Wilson and Hilferty the 0.5 %
 * level of chi-square with 0.367 * 5 degrees of freedom is 5.5956 of them, and the median of one
 * 0.454936: the square of the change has to exceed 0.02 * 2.5457, which is 0.2256^2.
 */
static void
the_spread_of_functions_has_to_exceed_what_is_assumed(void)
{
	struct model model = learned(0.225, 0.1);

	CU_ASSERT_EQUAL(model.session_spread_from, SPREAD_ASSUMED);
	CU_ASSERT_EQUAL(model.session_spread, 0.1);
	model = learned(0.226, 0.1);
	CU_ASSERT_EQUAL(model.session_spread_from, SPREAD_OF_FUNCTIONS);
	UNIT_NEAR(model.session_spread, sqrt(0.226 * 0.226 / 0.45493642 / 2), 1e-8);
	UNIT_NEAR(model.session_df, 1.835, 1e-12);
	/* None exceeds none. */
	model = learned(0, 0);
	CU_ASSERT_EQUAL(model.session_spread_from, SPREAD_ASSUMED);
}

void
suite_compare_model_learn(void)
{
	static const struct unit_case cases[] = {
		{"dispersion_is_learned_from_eight_functions_with_an_expectation",
			dispersion_is_learned_from_eight_functions_with_an_expectation},
		{"the_spread_of_sessions_is_learned_from_one_function",
			the_spread_of_sessions_is_learned_from_one_function},
		{"the_spread_of_functions_has_to_exceed_what_is_assumed",
			the_spread_of_functions_has_to_exceed_what_is_assumed},
		{NULL, NULL},
	};

	unit_suite("compare/model_learn", cases);
}
