/*
 * The rule about obsolete waivers: expired ones, and those that are no longer needed. It looks at
 * how the other tests were decided, before they are waived.
 *
 * A waiver for several workloads is reported only where it matches something: it may well be meant
 * for another workload.
 */
#include "gate/pattern.h"
#include "gate/rules.h"
#include "gate/waive.h"

#include <string.h>

static void
add_waiver(struct judgement *judgement, const struct waiver *waiver, const char *reason)
{
	const char *subject = judgement_text(
		judgement, "waiver of %s%s", pattern_prefix(waiver->kind), waiver->pattern);
	struct test *test = judgement_add_condition(
		judgement, FINDING_WAIVERS, subject, CONDITION_BY_POLICY, reason);

	test->action = judgement_policy(judgement)->waivers;
	test->source = judgement_text(judgement, "%s:%u", waiver->file, waiver->line);
}

/* What a waiver does in this gate. */
struct use {
	bool matches; /* some test is about it */
	bool needed;  /* one of these grew, or may have */
};

static struct use
use_of(const struct judgement *judgement, const struct waiver *waiver)
{
	struct use use = {0};

	for (size_t i = 0; i < judgement->ntests; i++) {
		const struct test *test = &judgement->tests[i];

		if (!waiver_matches(judgement, waiver, test))
			continue;
		use.matches = true;
		/* While undecided, it may be needed. */
		use.needed = use.needed || decision_is_open(&test->decision) ||
			     waiver_is_for(judgement, test);
	}
	return use;
}

static void
check_waiver(struct judgement *judgement, const struct waiver *waiver)
{
	const struct use use = use_of(judgement, waiver);
	bool of_this = strcmp(waiver->workload, judgement->input.workload->name) == 0;

	if (!of_this && !use.matches)
		return;
	if (waiver_is_expired(judgement, waiver))
		add_waiver(judgement, waiver,
			judgement_text(judgement,
				"Expired on %s: %s accepted up to %s (%s). Remove it from %s:%u, or "
				"renew it.",
				waiver->last_day, waiver->owner,
				judgement_percent(judgement, waiver->max_effect), waiver->reason,
				waiver->file, waiver->line));
	else if (!use.needed && judgement->compared)
		add_waiver(judgement, waiver,
			judgement_text(judgement,
				"Not needed: nothing that it matches grew beyond its threshold. Remove it "
				"from %s:%u%s (%s, until %s).",
				waiver->file, waiver->line,
				of_this ? "" : ", or name the workloads that need it",
				waiver->owner, waiver->last_day));
}

static void
add_waivers(struct judgement *judgement)
{
	const struct gate_policy *policy = judgement_policy(judgement);

	if (judgement->input.error)
		return;
	for (size_t i = 0; i < policy->nwaivers; i++)
		check_waiver(judgement, &policy->waivers_list[i]);
}

const struct gate_rule rule_waivers = {
	.rule = FINDING_WAIVERS,
	.summary = "no waiver has expired or is no longer needed",
	.add = add_waivers,
	.sees_decisions = true,
};
