/*
 * The rules that a workload names: functions by pattern, as one group, or all that is below them.
 * Their growth is tested like that of a function; rule_budget.h has their budgets.
 */
#include "gate/group.h"
#include "gate/pattern.h"
#include "gate/rule_budget.h"
#include "gate/rules.h"

#include <math.h>

static bool
has_threshold(const struct gate_rule_spec *spec)
{
	return spec->kind != RULE_EACH &&
	       (!isnan(spec->threshold.warn) || !isnan(spec->threshold.fail));
}

static enum test_kind
kind_of(const struct gate_policy *policy, const struct effect *effect)
{
	if (effect->tested)
		return TEST_GROWTH;
	if (effect->after_share >= policy->floor && effect->after_cost >= policy->min_cost &&
		!(effect->before_weight > 0))
		return TEST_NEW;
	if (fmax(effect->before_share, effect->after_share) >= policy->min_share &&
		effect->after_weight > 0)
		return TEST_TOO_FEW;
	return TEST_NEGLIGIBLE;
}

static void
add_growth(struct judgement *judgement, size_t rule, const char *subject)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	const struct gate_rule_spec *spec = &policy->rules[rule];
	struct effect *effect = &judgement->groups[rule];
	struct test test = test_of(kind_of(policy, effect), FINDING_NAMED, subject);

	test.named = spec;
	test.of = group_quantity(spec);
	test.all = effect;
	for (int stage = 0; stage < COMPARISON_STAGES; stage++)
		test.stages[stage] = judgement->stage_groups[stage]
					     ? &judgement->stage_groups[stage][rule]
					     : NULL;
	test.limits = limits_of(effect, &spec->threshold, policy->floor, policy->min_cost);
	judgement_add_test(judgement, &test);
}

static void
add_named(struct judgement *judgement)
{
	const struct gate_policy *policy = judgement_policy(judgement);

	for (size_t i = 0; i < policy->nrules && judgement->groups; i++) {
		const struct gate_rule_spec *spec = &policy->rules[i];
		const char *subject = judgement_text(
			judgement, "%s%s", pattern_prefix(spec->kind), spec->pattern);

		if (has_threshold(spec) && judgement->compared)
			add_growth(judgement, i, subject);
		budgets_add(judgement, i, subject);
	}
}

const struct gate_rule rule_named = {
	.rule = FINDING_NAMED,
	.summary = "the functions, subtrees, modules and budgets that the workload names",
	.add = add_named,
};
