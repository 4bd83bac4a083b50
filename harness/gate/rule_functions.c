/*
 * Every function of min_share or more, by its own (self) cost; with thresholds of their own those
 * that a rule `each` names.
 *
 * A function that was not there before has no ratio. Unless the policy says otherwise it warns, and
 * cannot fail: the compiler renames, splits and merges functions, and cost that is really new shows
 * in the whole program as well. One that is gone is said and passes.
 */
#include "gate/growth.h"
#include "gate/pattern.h"
#include "gate/rules.h"

#include <math.h>

static const char *
source_of(const struct profile *profile, frame_id frame, struct verdict_builder *builder)
{
	const struct frame *f = &profile->frames.frames[frame];

	if (f->file == 0)
		return NULL;
	const char *file = strtab_str(&profile->strings, f->file);

	return f->line > 0 ? verdict_text(builder, "%s:%u", file, f->line)
			   : verdict_text(builder, "%s", file);
}

static const char *
subject_of(const struct profile *profile, frame_id frame, struct verdict_builder *builder)
{
	struct buf name;

	buf_init(&name);
	profile_put_frame(profile, frame, &name);
	const char *subject = verdict_text(builder, "%s", buf_text(&name));

	buf_release(&name);
	return subject;
}

enum status
status_of_new(const struct judgement *judgement, const struct verdict_builder *builder)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	/* It is a growth too. */
	enum policy_action action = policy->new_functions < policy->regression
					    ? policy->new_functions
					    : policy->regression;

	return action == POLICY_FAIL
		       ? growth_limited(STATUS_FAIL, builder->verdict->limited != NULL)
		       : status_of_action(action);
}

/* False if it is not worth a word. */
static bool
judge_new(
	const struct judgement *judgement, struct finding *finding, struct verdict_builder *builder)
{
	const struct comparison *comparison = &judgement->comparison;
	const struct gate_policy *policy = judgement_policy(judgement);
	/* The machine's speed taken out. */
	double speed = isfinite(comparison->machine_speed) ? comparison->machine_speed : 1;
	double cost = finding->effect.after_cost / speed;
	double worth = cost / comparison->whole.before_cost;

	if (!(worth >= policy->floor) || cost < policy->min_cost)
		return false;
	finding->status = status_of_new(judgement, builder);
	finding->reason = verdict_text(builder,
		"New: there is nothing to compare it with; it costs %s of what the whole program "
		"did before. If another was renamed, a new baseline settles it.",
		verdict_percent(builder, worth));
	return true;
}

static bool
judge_gone(
	const struct judgement *judgement, struct finding *finding, struct verdict_builder *builder)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	const struct effect *effect = &finding->effect;

	if (effect->before_share < policy->floor || effect->before_cost < policy->min_cost)
		return false;
	finding->status = policy->gone_functions == POLICY_FAIL
				  ? growth_limited(STATUS_FAIL, builder->verdict->limited != NULL)
				  : status_of_action(policy->gone_functions);
	finding->reason = verdict_text(builder, "Gone: it was %s of the program.",
		verdict_percent(builder, effect->before_share));
	return true;
}

/* A function without a ratio; false if there is nothing to say of it. */
static bool
judge_untested(
	const struct judgement *judgement, struct finding *finding, struct verdict_builder *builder)
{
	const struct comparison *comparison = &judgement->comparison;
	const struct gate_policy *policy = judgement_policy(judgement);
	const struct effect *effect = &finding->effect;

	if (comparison_is_new(comparison, effect))
		return judge_new(judgement, finding, builder);
	if (comparison_is_gone(comparison, effect))
		return judge_gone(judgement, finding, builder);
	if (fmax(effect->before_share, effect->after_share) < policy->min_share)
		return false;
	finding->status = growth_limited(STATUS_INCONCLUSIVE, builder->verdict->limited != NULL);
	finding->reason = verdict_text(builder,
		"%.0f samples are too few to compare: at least %d are needed.",
		fmax(effect->before_weight, effect->after_weight), MODEL_MIN_SAMPLES);
	return true;
}

/* Those of the first rule `each` that names it, or those of all functions. */
static const struct threshold *
threshold_of(const struct judgement *judgement, frame_id frame)
{
	const struct gate_policy *policy = judgement_policy(judgement);

	for (size_t i = 0; i < policy->nrules; i++) {
		const struct gate_rule_spec *spec = &policy->rules[i];

		if (spec->kind == RULE_EACH && pattern_matches(spec->kind, spec->pattern,
						       &judgement->comparison.profile, frame))
			return &spec->threshold;
	}
	return &policy->functions;
}

void
functions_limits(const struct judgement *judgement, frame_id frame, struct finding *finding)
{
	const struct gate_policy *policy = judgement_policy(judgement);

	growth_limits(finding, threshold_of(judgement, frame), policy->floor, policy->min_cost);
}

static void
apply_functions(const struct judgement *judgement, struct verdict_builder *builder)
{
	const struct comparison *comparison = &judgement->comparison;
	const struct growth_policy growth = growth_policy_of(judgement, builder);

	if (!judgement->compared)
		return;
	for (frame_id frame = 1; frame < comparison->nframes; frame++) {
		const struct growth_evidence evidence = evidence_of_function(judgement, frame);
		struct finding finding = finding_of(FINDING_FUNCTIONS, "");

		finding.effect = *evidence.all;
		finding.frame = frame;
		if (finding.effect.before_weight + finding.effect.after_weight <= 0 ||
			frame_name_is_mark(profile_frame_name(&comparison->profile, frame)))
			continue;
		functions_limits(judgement, frame, &finding);
		if (finding.effect.tested)
			growth_judge(&finding, &evidence, &growth, builder);
		else if (!judge_untested(judgement, &finding, builder))
			continue;
		finding.subject = subject_of(&comparison->profile, frame, builder);
		finding.source = source_of(&comparison->profile, frame, builder);
		verdict_add(builder, &finding);
	}
}

const struct gate_rule rule_functions = {
	.name = "functions",
	.summary = "self cost of every function of min_share or more",
	.apply = apply_functions,
};
