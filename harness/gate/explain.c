#include "gate/explain.h"

#include "gate/new_function.h"

#include <math.h>

/* What there is to explain: growth, or a function that came from nowhere. */
static bool
is_explained(const struct judgement *judgement, const struct finding *finding)
{
	if (finding->frame == 0)
		return false;
	if (comparison_is_new(&judgement->comparison, &finding->effect))
		return finding->status > STATUS_PASS;
	return finding->effect.tested && finding->effect.change > 0 &&
	       (finding->status == STATUS_FAIL || finding->status == STATUS_WARN ||
		       finding->unconfirmed);
}

static void
find_causes(struct judgement *judgement, struct finding *finding, struct verdict_builder *builder)
{
	struct causes *causes = arena_alloc(&builder->verdict->arena, sizeof(*causes));

	if (judgement->input.read_code && !judgement->code.by_frame)
		judgement->input.read_code(
			judgement->input.code_context, &judgement->comparison, &judgement->code);
	causes_find(&judgement->comparison, finding->frame,
		judgement->code.by_frame ? &judgement->code : NULL, &builder->verdict->arena,
		causes);
	if (judgement->input.read_instructions)
		judgement->input.read_instructions(judgement->input.instructions_context,
			&judgement->comparison, finding->frame, &causes->instructions_before,
			&causes->instructions_after);
	finding->causes = causes;
}

/* It warns, whatever fresh runs would say. */
static void
weaken(struct finding *finding, const char *why, struct verdict_builder *builder)
{
	if (finding->status != STATUS_FAIL && !finding->unconfirmed)
		return;
	finding->status = STATUS_WARN;
	finding->unconfirmed = false;
	finding->reason = verdict_text(builder, "%s %s", finding->reason, why);
}

/*
 * Whether it moved, and nothing more: what it moved within may have grown by up to half as much
 * (causes.h), which is a growth of its own if it is as large as functions may not have.
 */
static bool
only_moved(const struct judgement *judgement, const struct causes *causes)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	const struct effect *domain = &causes->domain_effect;

	return causes->moved != DOMAIN_NONE && !(domain->tested && domain->p <= policy->alpha &&
						       domain->change >= policy->functions.fail);
}

static void
settle_growth(
	const struct judgement *judgement, struct finding *finding, struct verdict_builder *builder)
{
	const struct causes *causes = finding->causes;

	if (only_moved(judgement, causes))
		weaken(finding, "But it only moved here, so this warns.", builder);
	else if (causes->code == CODE_SAME && causes->unreachable)
		weaken(finding,
			"But no code that changed is on any sampled path to it: layout, or data, so this "
			"warns.",
			builder);
	else if (causes->code == CODE_SAME && fabs(causes_more_work(causes)) <= CAUSES_SAME_WORK)
		weaken(finding,
			"But its code is the same and executes the same instructions: layout, cache or "
			"memory, so this warns.",
			builder);
}

/* A new name for what was there already is no new cost. */
static void
settle_new(
	const struct judgement *judgement, struct finding *finding, struct verdict_builder *builder)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	const struct causes *causes = finding->causes;

	if (!only_moved(judgement, causes)) {
		if (finding->status == STATUS_FAIL)
			new_function_judge(judgement, finding, builder);
		return;
	}
	bool grew = causes->domain_effect.change >= policy->functions.warn;

	finding->status = grew ? STATUS_WARN : STATUS_PASS;
	finding->reason = verdict_text(builder, "New, %s.",
		grew ? "and most of its cost was elsewhere before"
		     : "and its cost was elsewhere before");
}

void
explain_findings(struct judgement *judgement, struct verdict_builder *builder)
{
	for (size_t i = 0; i < builder->verdict->nfindings && judgement->compared; i++) {
		struct finding *finding = &builder->verdict->findings[i];

		if (!is_explained(judgement, finding))
			continue;
		find_causes(judgement, finding, builder);
		if (comparison_is_new(&judgement->comparison, &finding->effect))
			settle_new(judgement, finding, builder);
		else
			settle_growth(judgement, finding, builder);
	}
}
