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
waiver_matches(
	const struct judgement *judgement, const struct waiver *waiver, const struct test *test)
{
	if (waiver->kind == RULE_TOTAL)
		return test->rule == FINDING_TOTAL;
	if (test->named)
		return matches_rule(waiver, test->named);
	/* All that is called by a function is no function. */
	return test->frame != 0 && waiver->kind != RULE_SUBTREE &&
	       pattern_matches(
		       waiver->kind, waiver->pattern, &judgement->comparison.profile, test->frame);
}

bool
waiver_is_for(const struct judgement *judgement, const struct test *test)
{
	const struct decision *decision = &test->decision;
	const struct effect *effect = test_effect(test);

	if (!effect)
		return false;
	if (test->kind != TEST_GROWTH || !effect->tested)
		return (decision->status != STATUS_INCONCLUSIVE || decision->unconfirmed) &&
		       judgement->compared && comparison_is_new(&judgement->comparison, effect);
	/* Of what is confirmed, fresh runs were taken of what the first ones showed. */
	return decision->unconfirmed || test_is_confirmed(test) ||
	       effect->change >= fmin(test->limits.warn_at, test->limits.fail_at);
}

static bool
accepts(const struct waiver *waiver, const struct test *test)
{
	const struct effect *effect = test_effect(test);
	double growth = effect->tested ? effect->change : effect->after_share;

	return growth <= waiver->max_effect;
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

void
waive_tests(struct judgement *judgement)
{
	for (size_t i = 0; i < judgement->ntests; i++) {
		struct test *test = &judgement->tests[i];
		const struct decision *decision = &test->decision;
		bool matters = decision->status == STATUS_WARN || decision->status == STATUS_FAIL ||
			       decision->unconfirmed;

		if (matters && waiver_is_for(judgement, test))
			find_waiver(judgement, test);
	}
}
