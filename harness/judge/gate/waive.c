/*
 * Waivers: which tests they are about and what they accept; and the rule about obsolete waivers:
 * expired ones, and those that are no longer needed. The rule looks at how the other tests were
 * decided, before they are waived.
 *
 * A waiver for several workloads is reported only where it matches something: it may well be meant
 * for another workload.
 */
#include "gate/waive.h"

#include "gate/attribution.h"

#include "gate/pattern.h"
#include "gate/rules.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

/* At input.now; it holds to the end of its last day, UTC. */
static bool
waiver_is_expired(const struct judgement *judgement, const struct waiver *waiver)
{
	return judgement->input.now >= waiver->expires;
}

static bool
matches_rule(const struct waiver *waiver, const struct gate_rule_spec *spec)
{
	/* A waiver of functions applies to each of them, a rule about functions to their group. */
	bool same_kind = spec->kind == waiver->kind ||
			 (waiver->kind == RULE_EACH && spec->kind == RULE_FUNCTION);

	return same_kind && (strcmp(waiver->pattern, spec->pattern) == 0 ||
				    fnmatch(waiver->pattern, spec->pattern, 0) == 0);
}

/*
 * Whether the waiver is about the subject of the test, whatever growth it accepts:
 *
 * - `function`: functions that match, and rules about a pattern that does (as a text);
 * - `subtree`: rules about a subtree whose pattern does;
 * - `module`: functions of the modules that match, and rules about modules;
 * - `total`: the whole program;
 * - `counter`: the counters that match.
 */
static bool
waiver_matches(
	const struct judgement *judgement, const struct waiver *waiver, const struct test *test)
{
	if (waiver->kind == RULE_TOTAL)
		return test->rule == FINDING_TOTAL;
	if (waiver->kind == RULE_COUNTER)
		return test->counter && test->kind == TEST_GROWTH &&
		       fnmatch(waiver->pattern, test->counter->name, 0) == 0;
	if (test->named)
		return matches_rule(waiver, test->named);
	/* A function with all it calls is not a single function. */
	return test->frame != 0 && waiver->kind != RULE_SUBTREE &&
	       pattern_matches(
		       waiver->kind, waiver->pattern, &judgement->comparison.profile, test->frame);
}

/*
 * Whether a decided test reports a growth above its threshold, confirmed or not, or something new.
 * An undetectable growth or a gone function needs no waiver.
 */
static bool
waiver_is_for(const struct judgement *judgement, const struct test *test)
{
	const struct decision *decision = &test->decision;
	const struct effect *effect = test_effect(test);

	if (!effect)
		return false;
	if (test->kind != TEST_GROWTH || !effect->tested)
		return (!decision_is_open(decision) || decision->unconfirmed) &&
		       judgement->compared && comparison_is_new(&judgement->comparison, effect);
	/* A confirmed test was above its threshold in the first runs. */
	return decision->unconfirmed || test_is_confirmed(test) ||
	       growth_reaches(effect->change, fmin(test->limits.warn_at, test->limits.fail_at));
}

static bool
accepts(const struct waiver *waiver, const struct test *test)
{
	const struct effect *effect = test_effect(test);
	double growth = effect->tested ? effect->change : effect->after_share;

	return growth_reaches(waiver->max_effect, growth);
}

static void
find_waiver(const struct judgement *judgement, struct test *test)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	struct test_evidence *evidence = &test->evidence;

	for (size_t i = 0; i < policy->nwaivers; i++) {
		const struct waiver *waiver = &policy->waivers_list[i];
		bool expired = waiver_is_expired(judgement, waiver);

		if (!waiver_matches(judgement, waiver, test))
			continue;
		if (!expired && accepts(waiver, test)) {
			evidence->waiver = waiver;
			evidence->waiver_use = WAIVER_ACCEPTS;
			return;
		}
		if (!evidence->waiver || evidence->waiver_use == WAIVER_EXPIRED) {
			evidence->waiver = waiver;
			evidence->waiver_use = expired ? WAIVER_EXPIRED : WAIVER_EXCEEDED;
		}
	}
}

/*
 * A growth that is part of an accepted one is accepted with it, but for a rest that is itself above
 * the threshold.
 */
static void
accept_with_lead(const struct judgement *judgement, struct test *test)
{
	const struct test *lead = &judgement->tests[test->part_of - 1];
	const struct effect *effect = test_effect(test);

	if (lead->evidence.waiver_use != WAIVER_ACCEPTS ||
		test->evidence.waiver_use != WAIVER_NONE || !effect || !effect->tested)
		return;
	const double before =
		effect->before_cost * comparison_before_scale(&judgement->comparison, effect);
	const double rest =
		attribution_growth(judgement, test) - attribution_growth(judgement, lead);

	if (rest > before * test->limits.fail_at)
		return;
	test->evidence.waiver = lead->evidence.waiver;
	test->evidence.waiver_use = WAIVER_ACCEPTS;
}

void
waive_tests(struct judgement *judgement)
{
	for (size_t i = 0; i < judgement->ntests; i++) {
		struct test *test = &judgement->tests[i];
		const struct decision *decision = &test->decision;

		if (decision->status != STATUS_PASS && waiver_is_for(judgement, test))
			find_waiver(judgement, test);
	}
	for (size_t i = 0; i < judgement->ntests; i++)
		if (judgement->tests[i].part_of != 0 &&
			judgement->tests[i].decision.status != STATUS_PASS)
			accept_with_lead(judgement, &judgement->tests[i]);
}

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
