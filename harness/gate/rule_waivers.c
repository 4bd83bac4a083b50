/*
 * Waivers that have had their time: expired ones, and those of which nothing needs to be waived any
 * more. It looks at the findings of the other rules, before they are waived.
 *
 * A waiver for several workloads is spoken of only where there is something that it matches: it may
 * well be meant for another one.
 */
#include "gate/pattern.h"
#include "gate/rules.h"
#include "gate/waive.h"

#include <string.h>

static void
add_waiver(struct verdict_builder *builder, const struct judgement *judgement,
	const struct waiver *waiver, const char *reason)
{
	struct finding finding = finding_of(FINDING_WAIVERS, "");

	finding.status = status_of_action(judgement_policy(judgement)->waivers);
	finding.subject = verdict_text(
		builder, "waiver of %s%s", pattern_prefix(waiver->kind), waiver->pattern);
	finding.source = verdict_text(builder, "%s:%u", waiver->file, waiver->line);
	finding.reason = reason;
	verdict_add(builder, &finding);
}

/* What the findings so far say of a waiver. */
struct use {
	bool matches;
	bool needed;
};

static struct use
use_of(const struct judgement *judgement, const struct waiver *waiver,
	const struct verdict *verdict)
{
	struct use use = {0};

	for (size_t i = 0; i < verdict->nfindings; i++) {
		const struct finding *finding = &verdict->findings[i];

		if (!waiver_matches(judgement, waiver, finding))
			continue;
		use.matches = true;
		/* As long as it could not be told, it may be. */
		use.needed = use.needed || finding->status == STATUS_INCONCLUSIVE ||
			     waiver_is_for(judgement, finding);
	}
	return use;
}

static void
judge_waiver(const struct judgement *judgement, const struct waiver *waiver,
	struct verdict_builder *builder)
{
	const struct use use = use_of(judgement, waiver, builder->verdict);
	bool of_this = strcmp(waiver->workload, judgement->input.workload->name) == 0;

	if (!of_this && !use.matches)
		return;
	if (waiver_is_expired(judgement, waiver))
		add_waiver(builder, judgement, waiver,
			verdict_text(builder,
				"Expired on %s: %s accepted up to %s (%s). Remove it from %s:%u, or "
				"decide anew.",
				waiver->last_day, waiver->owner,
				verdict_percent(builder, waiver->max_effect), waiver->reason,
				waiver->file, waiver->line));
	else if (!use.needed && judgement->compared)
		add_waiver(builder, judgement, waiver,
			verdict_text(builder,
				"Not needed: nothing that it matches grew beyond its threshold. It is of %s, "
				"until %s: remove it from %s:%u%s.",
				waiver->owner, waiver->last_day, waiver->file, waiver->line,
				of_this ? "" : ", or name the workloads that need it"));
}

static void
apply_waivers(const struct judgement *judgement, struct verdict_builder *builder)
{
	const struct gate_policy *policy = judgement_policy(judgement);

	if (judgement->input.error)
		return;
	for (size_t i = 0; i < policy->nwaivers; i++)
		judge_waiver(judgement, &policy->waivers_list[i], builder);
}

const struct gate_rule rule_waivers = {
	.name = "waivers",
	.summary = "no waiver has expired or is no longer needed",
	.apply = apply_waivers,
};
