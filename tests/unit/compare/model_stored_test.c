/* Whole cost of two days. Reference values: tests/unit/compare/reference.py. */
#include "compare/comparison.h"

#include "compare/comparison_fixture.h"
#include "unit.h"

#include <math.h>

void suite_compare_model_stored(void);

/* Change, error, degrees of freedom and p. */
static const double stored_whole[] = {
	0.021290751829674104, 0.010084940031746347, 3.0242034868449226, 0.063587021907006894};

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

void
suite_compare_model_stored(void)
{
	static const struct unit_case cases[] = {
		{"whole_cost_is_tested_by_welchs_test", whole_cost_is_tested_by_welchs_test},
		{NULL, NULL},
	};

	unit_suite("compare/model_stored", cases);
}
