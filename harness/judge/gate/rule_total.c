/*
 * The cost of the whole program: the only test that shows a uniform slow-down, as functions are
 * judged relative to each other. Against a stored baseline it cannot tell that from a slower
 * machine, so it warns where only the estimate is above the limit.
 */
#include "compare/size_growth.h"
#include "gate/rules.h"

static void
add_total(struct judgement *judgement)
{
	struct comparison *comparison = &judgement->comparison;
	struct test test = test_of(comparison->whole.tested ? TEST_GROWTH : TEST_TOO_FEW,
		FINDING_TOTAL, "whole program");

	if (!judgement->compared)
		return;
	test.of = QUANTITY_TOTAL;
	test.all = &comparison->whole;
	for (int stage = 0; stage < COMPARISON_STAGES && comparison->staged; stage++)
		test.stages[stage] = &comparison->stages[stage].whole;
	const struct gate_policy *policy = judgement_policy(judgement);

	/* A size has no noise: what is too little to be judged is the same for the whole. */
	test.limits = limits_of(test.all, &policy->total, 0,
		size_growth_is_known(comparison) ? policy->min_cost : 0);
	judgement_add_test(judgement, &test);
}

const struct gate_rule rule_total = {
	.rule = FINDING_TOTAL,
	.summary = "CPU time of the whole program",
	.add = add_total,
};
