#include "gate/waive.h"

#include "base/buf.h"
#include "base/text.h"
#include "gate/finding_effect.h"
#include "gate/pattern.h"
#include "profile/frame.h"

#include <math.h>
#include <string.h>

/* Less than GROWTH_ROUNDING, by which growth_exceeds() compares. */
#define WAIVER_ROUNDING 1e-13

bool
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

	return same_kind && text_matches(spec->pattern, waiver->pattern);
}

bool
waiver_matches(
	const struct judgement *judgement, const struct waiver *waiver, const struct test *test)
{
	if (waiver->kind == RULE_TOTAL)
		return test->rule == FINDING_TOTAL;
	if (waiver->kind == RULE_COUNTER)
		return test->counter && test->kind == TEST_GROWTH &&
		       text_matches(test->counter->name, waiver->pattern);
	if (test->named)
		return matches_rule(waiver, test->named);
	/* A function with all it calls is not a single function. */
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

static bool
is_accepted(const struct test *test)
{
	return test->evidence.waiver_use == WAIVER_ACCEPTS;
}

/* Whether it grew with an accepted test. */
static bool
is_part_of_accepted(const struct judgement *judgement, const struct test *test)
{
	return test->part_of != 0 && test->decision.status != STATUS_PASS &&
	       is_accepted(&judgement->tests[test->part_of - 1]);
}

static void
accept_with(struct judgement *judgement, struct test *test, size_t lead)
{
	test->evidence.waiver = judgement->tests[lead - 1].evidence.waiver;
	test->evidence.waiver_use = WAIVER_ACCEPTS;
	test->evidence.accepted_with = lead;
}

/*
 * The growth of functions that is accepted with a test, or with any (0). One with all that it calls
 * may hold others, so that the largest of these counts, or the own costs of all.
 */
static double
accepted_growth(const struct judgement *judgement, size_t lead)
{
	double own = 0;
	double with_callees = 0;

	for (size_t i = 0; i < judgement->ntests; i++) {
		const struct test *test = &judgement->tests[i];

		if (!is_accepted(test) || test->rule != FINDING_FUNCTIONS || test->frame == 0 ||
			(lead != 0 && i + 1 != lead && test->part_of != lead))
			continue;
		const double growth = fmax(finding_growth_of(judgement, test), 0);

		if (test->of == QUANTITY_TOTAL)
			with_callees = fmax(with_callees, growth);
		else
			own += growth;
	}
	return fmax(own, with_callees);
}

/* The failing finding about a function that has most of the growth beyond, half of it or more; 0:
 * none. */
static size_t
find_rest(const struct judgement *judgement, double beyond)
{
	double most = beyond / 2;
	size_t found = 0;

	for (size_t i = 0; i < judgement->ntests; i++) {
		const struct test *test = &judgement->tests[i];
		const double growth = finding_growth_of(judgement, test);

		if (test->rule != FINDING_FUNCTIONS || test->frame == 0 || test->part_of != 0 ||
			test->decision.status != STATUS_FAIL || is_accepted(test) || growth < most)
			continue;
		most = growth;
		found = i + 1;
	}
	return found;
}

/*
 * Whether it grew by more than its threshold beyond what is accepted. That alone may be noise: a
 * function that fails has the rest, or the lower end of the interval is above what is accepted.
 */
static bool
grew_beyond(const struct judgement *judgement, const struct test *test, double accepted)
{
	const struct effect effect = finding_effect(judgement, test);
	const double before =
		effect.before_cost * comparison_before_scale(&judgement->comparison, &effect);
	const double beyond = finding_growth_of(judgement, test) - accepted;

	if (!(beyond > before * test->limits.fail_at))
		return false;
	return find_rest(judgement, beyond) != 0 || before * effect.low > accepted;
}

/*
 * The whole program, or a rule of the policy, that grew with an accepted function is accepted with
 * it, but for a rest that is itself significantly above the threshold. The whole program then
 * belongs to the finding that has the rest, or is one by itself.
 */
static void
accept_but_for_rest(struct judgement *judgement, struct test *test)
{
	const size_t lead = test->part_of;
	const bool is_whole = test->rule == FINDING_TOTAL;
	const double accepted = accepted_growth(judgement, is_whole ? 0 : lead);

	if (!test_effect(test) || !test_effect(test)->tested)
		return;
	if (!grew_beyond(judgement, test, accepted)) {
		accept_with(judgement, test, lead);
		return;
	}
	test->evidence.accepted_with = lead;
	test->evidence.accepted = accepted;
	test->part_of =
		is_whole ? find_rest(judgement, finding_growth_of(judgement, test) - accepted) : 0;
}

/* A waiver about the test itself decides instead of that about the one that it grew with. */
static void
waive_members(struct judgement *judgement)
{
	for (size_t i = 0; i < judgement->ntests; i++) {
		struct test *test = &judgement->tests[i];

		if (!is_part_of_accepted(judgement, test))
			continue;
		if (test->evidence.waiver_use == WAIVER_EXCEEDED ||
			test->evidence.waiver_use == WAIVER_EXPIRED)
			test->part_of = 0;
		else if (test->frame != 0 && test->evidence.waiver_use == WAIVER_NONE)
			accept_with(judgement, test, test->part_of);
	}
	/* These are judged by what is accepted of functions. */
	for (size_t i = 0; i < judgement->ntests; i++) {
		struct test *test = &judgement->tests[i];

		if (test->frame == 0 && is_part_of_accepted(judgement, test) &&
			test->evidence.waiver_use == WAIVER_NONE)
			accept_but_for_rest(judgement, test);
	}
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
	waive_members(judgement);
}

/* The pattern that matches this name alone. */
static const char *
literal_pattern(struct arena *arena, const char *name)
{
	struct buf pattern = {0};

	/* Names in brackets match by their own text. */
	if (frame_name_is_unknown(name))
		return "[unknown]";
	if (frame_name_is_mark(name))
		return arena_strdup(arena, name);
	for (const char *at = name; *at; at++) {
		if (strchr("*?[\\", *at))
			buf_putc(&pattern, '\\');
		buf_putc(&pattern, *at);
	}
	const char *kept = arena_dup(arena, buf_text(&pattern), pattern.len);

	buf_release(&pattern);
	return kept;
}

/* To tenths of a percent below 10 %, above to whole percents. */
static double
round_up(double ratio)
{
	double steps = ratio < 0.1 ? 1000 : 100;

	/* A rounding error must not turn 0.07 into 0.071: a waiver of 0.07 accepts both. */
	return ceil((ratio - WAIVER_ROUNDING) * steps) / steps;
}

static double
growth_to_accept(const struct effect *effect)
{
	if (!effect->tested)
		return effect->after_share;
	return isfinite(effect->high) ? fmax(effect->high, effect->change) : effect->change;
}

/* Whether it grew beyond its threshold; an undetectable growth needs no waiver. */
static bool
is_growth(const struct finding *finding)
{
	const struct effect *effect = &finding->effect;

	return effect->tested &&
	       (!finding_is_open(finding) || finding->unconfirmed ||
		       growth_reaches(effect->change, fmin(finding->warn_at, finding->fail_at)));
}

bool
waiver_of_finding(const struct judgement *judgement, const struct finding *finding,
	struct arena *arena, struct waiver *waiver)
{
	const struct effect *effect = &finding->effect;
	double growth = growth_to_accept(effect);
	bool is_new = finding->rule == FINDING_FUNCTIONS && !effect->tested &&
		      judgement->compared && comparison_is_new(&judgement->comparison, effect);

	*waiver = (struct waiver){
		.kind = RULE_TOTAL,
		.pattern = "whole program",
		.workload = arena_strdup(arena, judgement->input.workload->name),
	};
	if (finding->status == STATUS_PASS || !(is_growth(finding) || is_new) || !(growth > 0))
		return false;
	waiver->max_effect = round_up(growth);
	if (finding->named) {
		waiver->kind =
			finding->named->kind == RULE_FUNCTION ? RULE_EACH : finding->named->kind;
		waiver->pattern = arena_strdup(arena, finding->named->pattern);
		return true;
	}
	if (finding->frame != 0) {
		waiver->kind = RULE_EACH;
		waiver->pattern = literal_pattern(
			arena, profile_frame_name(&judgement->comparison.profile, finding->frame));
		return true;
	}
	if (finding->counter) {
		waiver->kind = RULE_COUNTER;
		waiver->pattern = finding->counter->name;
		return true;
	}
	return finding->rule == FINDING_TOTAL;
}
