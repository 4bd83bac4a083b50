/*
 * Waivers that have had their time: expired ones, and those of which nothing needs to be waived any
 * more. It looks at how the other tests were decided, before they are waived.
 *
 * A waiver for several workloads is spoken of only where there is something that it matches: it may
 * well be meant for another one.
 */
#include "gate/pattern.h"
#include "gate/rules.h"
#include "gate/waive.h"

#include <string.h>

static void
add_waiver(struct judgement *judgement, const struct waiver *waiver, const char *reason)
{
	struct test test = test_of(TEST_CONDITION, FINDING_WAIVERS,
		judgement_text(judgement, "waiver of %s%s", pattern_prefix(waiver->kind),
			waiver->pattern));

	test.condition = CONDITION_BY_POLICY;
	test.action = judgement_policy(judgement)->waivers;
	test.source = judgement_text(judgement, "%s:%u", waiver->file, waiver->line);
	test.reason = reason;
	judgement_add_test(judgement, &test);
}

struct use {
	bool matches;
	bool needed;
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
		/* As long as it could not be told, it may be. */
		use.needed = use.needed || test->decision.status == STATUS_INCONCLUSIVE ||
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
				"decide anew.",
				waiver->last_day, waiver->owner,
				judgement_percent(judgement, waiver->max_effect), waiver->reason,
				waiver->file, waiver->line));
	else if (!use.needed && judgement->compared)
		add_waiver(judgement, waiver,
			judgement_text(judgement,
				"Not needed: nothing that it matches grew beyond its threshold. It is of %s, "
				"until %s: remove it from %s:%u%s.",
				waiver->owner, waiver->last_day, waiver->file, waiver->line,
				of_this ? "" : ", or name the workloads that need it"));
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
