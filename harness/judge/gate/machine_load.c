#include "gate/machine_load.h"

#include "profile/weights.h"

#include <math.h>

bool
load_is_known(const struct criteria *criteria)
{
	return criteria->disturbed_before || criteria->disturbed_after || criteria->spread.is_far;
}

void
load_weigh_test(const struct judgement *judgement, struct test *test)
{
	const bool is_function = test->rule == FINDING_FUNCTIONS && test->frame != 0;

	if (test->kind != TEST_GROWTH || test->counter || !load_is_known(&judgement->criteria) ||
		weights_are_times(judgement->input.candidate))
		return;
	const frame_id frame = is_function ? test->frame : 0;
	const struct comparison *comparison = &judgement->comparison;

	test->load = (struct load_evidence){
		.explained =
			rest_explains(&judgement->rest, comparison, frame, test->all->relative),
		.spread = rest_spread_beside(&judgement->rest, comparison, frame),
	};
}

/* The lower limit of ln(1 + change), as if this were the only test. */
static double
lower_limit(const struct effect *effect, double alpha)
{
	struct effect alone = *effect;

	model_set_interval(&alone, alpha);
	return log1p(alone.low);
}

/* The lower limit of ln(cost after / cost before), with the uncertainty of ln(1 + change). */
static double
lower_limit_of_costs(const struct effect *effect, double alpha)
{
	const double uncertainty = log1p(effect->change) - lower_limit(effect, alpha);

	return log(effect->after_cost / effect->before_cost) - uncertainty;
}

enum load_weighed
load_weigh_growth(const struct test *test, const struct criteria *criteria)
{
	const struct test *grown = test->kind == TEST_NEW ? test->evidence.callers : test;

	if (!load_is_known(criteria))
		return LOAD_NONE;
	if (!grown || grown->kind != TEST_GROWTH)
		return LOAD_EXPLAINS;
	const struct effect *effect = test_effect(grown);

	if (!criteria->disturbed_after && !criteria->spread.is_far &&
		lower_limit_of_costs(effect, criteria->alpha) > log1p(grown->limits.fail_at))
		return LOAD_BEFORE;
	/* Load explains a growth unless it lies above with two standard errors to spare. */
	const double least = log1p(effect->low) - REST_ERRORS * effect->standard_error;

	return least > grown->load.explained ? LOAD_EXCEEDED : LOAD_EXPLAINS;
}
