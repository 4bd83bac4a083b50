/*
 * To add a rule: write rule_NAME.c with a const struct gate_rule, give it a place and a name in
 * enum finding_rule (verdict.h, verdict.c), and put it in the array below. If it needs settings,
 * they go into struct gate_policy and its keys in spec/. Tests of growth share the error budget of
 * the gate by themselves. Then a case in tests/unit/judge/gate/ and the manual page.
 */
#include "gate/rules.h"

/*
 * The cost of the whole program: the only test that shows a uniform slow-down, as functions are
 * judged relative to each other. Against a stored baseline it cannot tell that from a slower
 * machine, so it warns where only the estimate is above the limit.
 */
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
	test.limits = limits_of(test.all, &judgement_policy(judgement)->total, 0, 0);
	judgement_add_test(judgement, &test);
}

const struct gate_rule rule_total = {
	.rule = FINDING_TOTAL,
	.summary = "CPU time of the whole program",
	.add = add_total,
};

const struct gate_rule *const gate_rules[] = {
	&rule_measurement,
	&rule_baseline,
	&rule_validity,
	&rule_total,
	&rule_functions,
	&rule_named,
	&rule_counters,
	&rule_self_check,
	&rule_waivers,
	NULL,
};
