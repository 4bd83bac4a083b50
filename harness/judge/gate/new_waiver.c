#include "gate/new_waiver.h"

#include "base/buf.h"
#include "profile/frame.h"

#include <math.h>
#include <string.h>

/* Less than growth_exceeds() has. */
#define WAIVER_ROUNDING 1e-13

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
