/*
 * The rules that a workload names: functions by pattern, as one group, or all that is below them.
 * A budget (max_share) asks only about the candidate, so it needs no baseline.
 */
#include "base/escape.h"
#include "base/mem.h"
#include "compare/stats.h"
#include "gate/growth.h"
#include "gate/rules.h"
#include "profile/canonical.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With the suffix of its kind or without. */
static bool
matches_name(const char *pattern, const char *name, enum frame_kind kind)
{
	struct buf with_suffix;
	bool matched = fnmatch(pattern, name, 0) == 0;

	if (matched)
		return matched;
	buf_init(&with_suffix);
	escape_folded(&with_suffix, name, strlen(name));
	buf_puts(&with_suffix, frame_kind_suffix(kind));
	matched = fnmatch(pattern, buf_text(&with_suffix), 0) == 0;
	buf_release(&with_suffix);
	return matched;
}

/*
 * By its canonical name or by the one it had; "foo.part.0" names all of foo, since no build is
 * bound to split it. Marks of incomplete stacks are met by their own name alone.
 */
static bool
matches(const struct gate_rule_spec *spec, const struct profile *profile, frame_id frame)
{
	const struct frame *f = &profile->frames.frames[frame];
	const char *name = profile_frame_name(profile, frame);
	struct buf canonical;

	if (strcmp(spec->pattern, "[unknown]") == 0)
		return frame_name_is_unknown(name);
	if (frame_name_is_mark(name))
		return strcmp(spec->pattern, name) == 0;
	if (matches_name(spec->pattern, name, f->kind) ||
		(f->full && matches_name(spec->pattern, strtab_str(&profile->strings, f->full),
				    f->kind)))
		return true;
	buf_init(&canonical);
	bool matched = canonical_name(spec->pattern, strlen(spec->pattern), &canonical) &&
		       strcmp(buf_text(&canonical), name) == 0;

	buf_release(&canonical);
	return matched;
}

static enum quantity
quantity_of(const struct gate_rule_spec *spec)
{
	return spec->kind == RULE_SUBTREE ? QUANTITY_TOTAL : spec->of;
}

struct effect *
named_groups(const struct judgement *judgement, const struct model *model)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	const struct comparison *comparison = &judgement->comparison;
	struct effect *groups = mem_zalloc(policy->nrules + 1, sizeof(*groups));
	bool *member = mem_zalloc(comparison->nframes + 1, sizeof(*member));

	for (size_t i = 0; i < policy->nrules; i++) {
		const struct gate_rule_spec *spec = &policy->rules[i];

		for (frame_id frame = 1; frame < comparison->nframes; frame++)
			member[frame] = matches(spec, &comparison->profile, frame);
		comparison_group(
			comparison, model, member, quantity_of(spec) == QUANTITY_SELF, &groups[i]);
	}
	free(member);
	return groups;
}

/* Share against budget: over it for sure fails, over it by the estimate alone warns. */
static void
judge_budget(const struct judgement *judgement, const struct gate_rule_spec *spec,
	struct finding *finding, struct verdict_builder *builder)
{
	const struct effect *effect = &finding->effect;
	double share = effect->after_share;
	double noise = effect->overdispersion > 1 ? effect->overdispersion : 1;
	double samples = judgement->comparison.model.samples[MODEL_AFTER];
	double error = sqrt(share * (1 - share) / samples * noise);
	double sure =
		share - stats_t_quantile(judgement_policy(judgement)->alpha, INFINITY) * error;

	if (isnan(share)) {
		finding->status = STATUS_INCONCLUSIVE;
		finding->reason = "There are no samples to take a share of.";
	} else if (share > spec->max_share) {
		finding->status = growth_limited(sure > spec->max_share ? STATUS_FAIL : STATUS_WARN,
			builder->verdict->limited != NULL);
		finding->reason = verdict_text(builder,
			"Takes %.1f %% of the program; its budget is %.1f %%%s.", share * 100,
			spec->max_share * 100,
			sure > spec->max_share ? "" : ", which chance may have made of less");
	} else {
		finding->reason = verdict_text(builder,
			"Takes %.1f %% of the program, within its budget of %.1f %%.", share * 100,
			spec->max_share * 100);
	}
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
	} else if (effect->after_share >= policy->floor && !(effect->before_weight > 0)) {
		finding->status = STATUS_WARN;
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
		struct finding finding = finding_of("rule", spec->pattern);

		finding.subject = verdict_text(builder, "%s%s",
			spec->kind == RULE_SUBTREE ? "subtree " : "", spec->pattern);
		finding.of = quantity_of(spec);
		finding.effect = judgement->groups[i];
		if (named_has_threshold(spec) && judgement->compared) {
			judge_growth_of(judgement, i, &finding, builder);
			verdict_add(builder, &finding);
		}
		if (!isnan(spec->max_share)) {
			struct finding budget = finding_of("rule", finding.subject);

			budget.subject = verdict_text(builder, "%s (budget)", finding.subject);
			budget.of = finding.of;
			budget.effect = finding.effect;
			budget.effect.tested = false;
			judge_budget(judgement, spec, &budget, builder);
			verdict_add(builder, &budget);
		}
	}
}

const struct gate_rule rule_named = {
	.name = "rule",
	.summary = "the functions, subtrees and budgets that the workload names",
	.apply = apply_named,
};
