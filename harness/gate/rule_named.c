/*
 * The rules that a workload names: functions by pattern, as one group, or all that is below them.
 * A budget (max_share) asks only about the candidate, so it needs no baseline.
 */
#include "base/mem.h"
#include "gate/growth.h"
#include "gate/pattern.h"
#include "gate/rules.h"

#include <math.h>
#include <stdlib.h>

enum quantity
named_quantity(const struct gate_rule_spec *spec)
{
	return spec->kind == RULE_SUBTREE ? QUANTITY_TOTAL : spec->of;
}

bool *
named_members(const struct judgement *judgement, size_t rule)
{
	const struct gate_rule_spec *spec = &judgement_policy(judgement)->rules[rule];
	const struct comparison *comparison = &judgement->comparison;
	bool *member = mem_zalloc(comparison->nframes + 1, sizeof(*member));

	for (frame_id frame = 1; frame < comparison->nframes; frame++)
		member[frame] =
			pattern_matches(spec->kind, spec->pattern, &comparison->profile, frame);
	return member;
}

struct effect *
named_groups(const struct judgement *judgement, const struct model *model)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	const struct comparison *comparison = &judgement->comparison;
	struct effect *groups = mem_zalloc(policy->nrules + 1, sizeof(*groups));

	for (size_t i = 0; i < policy->nrules; i++) {
		const struct gate_rule_spec *spec = &policy->rules[i];

		effect_clear(&groups[i]);
		/* These are judged one by one, with the functions. */
		if (spec->kind == RULE_EACH)
			continue;
		bool *member = named_members(judgement, i);

		comparison_group(comparison, model, member, named_quantity(spec) == QUANTITY_SELF,
			&groups[i]);
		free(member);
	}
	return groups;
}

void
named_limits(const struct judgement *judgement, size_t rule, struct finding *finding)
{
	const struct gate_policy *policy = judgement_policy(judgement);

	growth_limits(finding, &policy->rules[rule].threshold, policy->floor, policy->min_cost);
}

static void
judge_growth_of(const struct judgement *judgement, size_t rule, struct finding *finding,
	struct verdict_builder *builder)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	const struct effect *effect = &finding->effect;
	const struct growth_evidence evidence = evidence_of_rule(judgement, rule);
	const struct growth_policy growth = growth_policy_of(judgement, builder);

	named_limits(judgement, rule, finding);
	if (effect->tested) {
		growth_judge(finding, &evidence, &growth, builder);
	} else if (effect->after_share >= policy->floor && effect->after_cost >= policy->min_cost &&
		   !(effect->before_weight > 0)) {
		finding->status = status_of_new(judgement, builder);
		finding->reason = "New: there is nothing to compare it with.";
	} else if (fmax(effect->before_share, effect->after_share) >= policy->min_share &&
		   effect->after_weight > 0) {
		finding->status = growth_limited(STATUS_INCONCLUSIVE, growth.limited);
		finding->reason = "Its samples are too few to compare.";
	} else {
		finding->reason = "Next to none of the program's cost is in it.";
	}
}

static void
apply_named(const struct judgement *judgement, struct verdict_builder *builder)
{
	const struct gate_policy *policy = judgement_policy(judgement);

	for (size_t i = 0; i < policy->nrules && judgement->groups; i++) {
		const struct gate_rule_spec *spec = &policy->rules[i];
		struct finding finding = finding_of(FINDING_NAMED, spec->pattern);

		finding.subject =
			verdict_text(builder, "%s%s", pattern_prefix(spec->kind), spec->pattern);
		finding.named = spec;
		finding.of = named_quantity(spec);
		finding.effect = judgement->groups[i];
		if (named_has_threshold(spec) && judgement->compared) {
			judge_growth_of(judgement, i, &finding, builder);
			verdict_add(builder, &finding);
		}
		budgets_judge(judgement, i, &finding, builder);
	}
}

const struct gate_rule rule_named = {
	.name = "rule",
	.summary = "the functions, subtrees, modules and budgets that the workload names",
	.apply = apply_named,
};
