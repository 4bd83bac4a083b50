#include "gate/waive.h"

#include "gate/pattern.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

bool
waiver_is_expired(const struct judgement *judgement, const struct waiver *waiver)
{
	return judgement->input.now >= waiver->expires;
}

static bool
matches_rule(const struct waiver *waiver, const struct gate_rule_spec *spec)
{
	/* A waiver of functions is one of each, a rule about functions is one of their group. */
	bool same_kind = spec->kind == waiver->kind ||
			 (waiver->kind == RULE_EACH && spec->kind == RULE_FUNCTION);

	return same_kind && (strcmp(waiver->pattern, spec->pattern) == 0 ||
				    fnmatch(waiver->pattern, spec->pattern, 0) == 0);
}

bool
waiver_matches(const struct judgement *judgement, const struct waiver *waiver,
	const struct finding *finding)
{
	if (waiver->kind == RULE_TOTAL)
		return finding->rule == FINDING_TOTAL;
	if (finding->named)
		return matches_rule(waiver, finding->named);
	/* All that is called by a function is no function. */
	return finding->frame != 0 && waiver->kind != RULE_SUBTREE &&
	       pattern_matches(waiver->kind, waiver->pattern, &judgement->comparison.profile,
		       finding->frame);
}

bool
waiver_is_for(const struct judgement *judgement, const struct finding *finding)
{
	const struct effect *effect = &finding->effect;

	if (!effect->tested)
		return (finding->status != STATUS_INCONCLUSIVE || finding->unconfirmed) &&
		       judgement->compared && comparison_is_new(&judgement->comparison, effect);
	/* With `first`, fresh runs were taken of what the first ones showed. */
	return finding->unconfirmed || finding->first.tested ||
	       effect->change >= fmin(finding->warn_at, finding->fail_at);
}

static bool
accepts(const struct waiver *waiver, const struct finding *finding)
{
	const struct effect *effect = &finding->effect;
	double growth = effect->tested ? effect->change : effect->after_share;

	return growth <= waiver->max_effect;
}

static void
waive(struct finding *finding, const struct waiver *waiver, struct verdict_builder *builder)
{
	finding->status = STATUS_PASS;
	finding->unconfirmed = false;
	finding->more_runs = NAN;
	finding->waiver = waiver;
	finding->reason = verdict_text(builder, "Waived until %s by %s: %s (up to %s).",
		waiver->last_day, waiver->owner, waiver->reason,
		verdict_percent(builder, waiver->max_effect));
}

/* Why a waiver that is about it does not help. */
static void
explain(struct finding *finding, const struct waiver *waiver, bool expired,
	struct verdict_builder *builder)
{
	if (expired)
		finding->reason = verdict_text(builder, "%s The waiver of %s expired on %s.",
			finding->reason, waiver->owner, waiver->last_day);
	else
		finding->reason =
			verdict_text(builder, "%s The waiver of %s accepts %s.", finding->reason,
				waiver->owner, verdict_percent(builder, waiver->max_effect));
}

static void
waive_finding(
	const struct judgement *judgement, struct finding *finding, struct verdict_builder *builder)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	const struct waiver *short_of = NULL;

	for (size_t i = 0; i < policy->nwaivers; i++) {
		const struct waiver *waiver = &policy->waivers_list[i];

		if (!waiver_matches(judgement, waiver, finding))
			continue;
		if (!waiver_is_expired(judgement, waiver) && accepts(waiver, finding)) {
			waive(finding, waiver, builder);
			return;
		}
		if (!short_of || waiver_is_expired(judgement, short_of))
			short_of = waiver;
	}
	if (short_of)
		explain(finding, short_of, waiver_is_expired(judgement, short_of), builder);
}

void
waive_findings(const struct judgement *judgement, struct verdict_builder *builder)
{
	struct verdict *verdict = builder->verdict;

	for (size_t i = 0; i < verdict->nfindings; i++) {
		struct finding *finding = &verdict->findings[i];
		bool matters = finding->status == STATUS_WARN || finding->status == STATUS_FAIL ||
			       finding->unconfirmed;

		if (matters && waiver_is_for(judgement, finding))
			waive_finding(judgement, finding, builder);
	}
}
