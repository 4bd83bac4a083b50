#include "gate/growth.h"

#include "compare/stats.h"
#include "gate/effort.h"

#include <math.h>

static double
at_least(double threshold, double worth_floor)
{
	return isnan(threshold) ? NAN : fmax(threshold, worth_floor);
}

void
growth_limits(
	struct finding *finding, const struct threshold *threshold, double floor, double min_cost)
{
	const struct effect *effect = &finding->effect;
	double worth = floor > 0 ? floor / effect->before_share : 0;

	if (min_cost > 0)
		worth = fmax(worth, min_cost / effect->before_cost);
	if (isinf(worth) || isnan(worth))
		return;
	finding->warn_at = at_least(threshold->warn, worth);
	finding->fail_at = at_least(threshold->fail, worth);
	finding->asked = isnan(finding->fail_at) ? finding->warn_at : finding->fail_at;
}

enum status
growth_limited(enum status status, bool limited)
{
	return limited && (status == STATUS_FAIL || status == STATUS_INCONCLUSIVE) ? STATUS_WARN
										   : status;
}

/* A growth of `asked` lies above the one-sided interval, the spread between occasions included. */
static bool
excludes(const struct effect *effect, double asked, double alpha)
{
	double reach = stats_t_quantile(alpha, effect->df) * effect->standard_error;

	return log1p(effect->change) + reach < log1p(asked);
}

static bool
is_significant(const struct effect *effect, double level)
{
	return effect->tested && effect->p_adjusted <= level;
}

static bool
exceeds(const struct effect *effect, double limit, bool strict)
{
	return (strict ? effect->low : effect->change) > limit;
}

bool
growth_is_flagged(const struct finding *finding, const struct growth_evidence *evidence,
	const struct growth_policy *policy)
{
	const struct effect *screen = evidence->stages[COMPARISON_SCREEN]
					      ? evidence->stages[COMPARISON_SCREEN]
					      : evidence->all;

	if (policy->two_stages)
		return is_significant(screen, 2 * policy->alpha) &&
		       exceeds(screen, finding->fail_at, false);
	return is_significant(screen, policy->alpha) &&
	       exceeds(screen, finding->fail_at, policy->strict);
}

/* Of what was flagged, once it has been measured again or where one stage is all there is. */
static enum status
status_of_flagged(const struct finding *finding, const struct growth_policy *policy)
{
	const struct effect *effect = &finding->effect;

	if (finding->unconfirmed)
		return STATUS_INCONCLUSIVE;
	return is_significant(effect, policy->alpha) &&
			       exceeds(effect, finding->fail_at, policy->strict)
		       ? STATUS_FAIL
		       : STATUS_WARN;
}

static enum status
status_of_other(const struct finding *finding, const struct growth_policy *policy)
{
	const struct effect *effect = &finding->effect;
	bool sees = effect->detectable <= finding->asked ||
		    excludes(effect, finding->asked, policy->alpha);

	if (isnan(finding->asked))
		return STATUS_PASS;
	if (is_significant(effect, policy->alpha) && effect->change >= finding->warn_at)
		return STATUS_WARN;
	if (effect->change >= finding->asked)
		return effect->p <= policy->alpha || policy->warns_when_unsure
			       ? STATUS_WARN
			       : STATUS_INCONCLUSIVE;
	return sees ? STATUS_PASS : STATUS_INCONCLUSIVE;
}

static const char *
fail_reason(const struct finding *finding, const struct growth_policy *policy,
	struct verdict_builder *builder)
{
	const struct effect *effect = &finding->effect;

	const char *again =
		finding->first.tested
			? verdict_text(builder,
				  ", and did so again in fresh runs (by the first it was %+.1f %%)",
				  finding->first.change * 100)
			: "";

	return verdict_text(builder,
		"Grew by more than the %s that fail%s%s; that is %s of the whole program's "
		"cost.",
		verdict_percent(builder, finding->fail_at),
		policy->strict ? ", with all of its interval" : "", again,
		verdict_percent(builder, effect->change * effect->before_share));
}

/* What was flagged, and yet does not fail. */
static const char *
unconfirmed_reason(const struct finding *finding, const struct growth_policy *policy,
	struct verdict_builder *builder)
{
	const struct effect *effect = &finding->effect;

	if (finding->unconfirmed)
		return verdict_text(builder,
			"Grew by more than the %s that fail, but there was no time to see whether it "
			"does so again in fresh runs.",
			verdict_percent(builder, finding->fail_at));
	if (!is_significant(effect, policy->alpha))
		return verdict_text(builder,
			"Grew by %s in the first runs, which fresh ones did not confirm.",
			verdict_percent(builder, finding->first.change));
	if (effect->change > finding->fail_at)
		return verdict_text(builder,
			"Grew, and the estimate is above the %s that fail; its interval reaches below.",
			verdict_percent(builder, finding->fail_at));
	return verdict_text(builder,
		"Grew by %s in the first runs; by fresh ones it is less than the %s that fail.",
		verdict_percent(builder, finding->first.change),
		verdict_percent(builder, finding->fail_at));
}

/* What would help: the larger part of the uncertainty decides. */
static const char *
remedy(const struct finding *finding, const struct growth_policy *policy,
	struct verdict_builder *builder)
{
	if (isfinite(finding->more_runs))
		return verdict_text(builder, "about %.0f more runs would tell", finding->more_runs);
	return policy->adds_before ? "no number of such runs would tell"
				   : "a baseline of more occasions would tell";
}

static const char *
warn_reason(const struct finding *finding, const struct growth_policy *policy,
	struct verdict_builder *builder)
{
	const struct effect *effect = &finding->effect;

	if (effect->p > policy->alpha && !(effect->spread > 0))
		return verdict_text(builder,
			"The estimate is above the %s asked about, but this may be chance.",
			verdict_percent(builder, finding->asked));
	if (effect->p > policy->alpha)
		return verdict_text(builder,
			"The estimate is above the %s asked about, but two occasions differ by as much "
			"(SD %s).",
			verdict_percent(builder, finding->asked),
			verdict_percent(builder, effect->spread));
	if (effect->p_adjusted <= policy->alpha && !(effect->change >= finding->fail_at))
		return verdict_text(builder, "Grew by more than the %s that warn.",
			verdict_percent(builder, finding->warn_at));
	if (effect->p_adjusted <= policy->alpha && policy->two_stages)
		return verdict_text(builder,
			"Grew by more than the %s that fail, by all runs together; the first ones by "
			"themselves did not say so.",
			verdict_percent(builder, finding->fail_at));
	if (effect->p_adjusted <= policy->alpha && !(effect->spread > 0))
		return verdict_text(builder,
			"Grew, and the estimate is above the %s that fail; its interval reaches below.",
			verdict_percent(builder, finding->fail_at));
	if (effect->p_adjusted <= policy->alpha)
		return verdict_text(builder,
			"Grew, and the estimate is above the %s that fail; its interval, which has "
			"the difference between two occasions in it (SD %s), reaches below.",
			verdict_percent(builder, finding->fail_at),
			verdict_percent(builder, effect->spread));
	return verdict_text(builder,
		"Grew by more than %s, but among so many subjects one may do so by chance: %s.",
		verdict_percent(builder, finding->asked), remedy(finding, policy, builder));
}

static const char *
inconclusive_reason(const struct finding *finding, const struct growth_policy *policy,
	struct verdict_builder *builder)
{
	const struct effect *effect = &finding->effect;

	if (effect->change >= finding->asked)
		return verdict_text(builder,
			"The estimate is above the %s asked about, but this may be chance: %s.",
			verdict_percent(builder, finding->asked), remedy(finding, policy, builder));
	return verdict_text(builder,
		"The gate asks about %s, and up to %s could have been missed: %s.",
		verdict_percent(builder, finding->asked),
		verdict_percent(builder, effect->detectable), remedy(finding, policy, builder));
}

static const char *
reason_of(const struct finding *finding, bool flagged, const struct growth_policy *policy,
	struct verdict_builder *builder)
{
	switch (finding->status) {
	case STATUS_FAIL:
		return fail_reason(finding, policy, builder);
	case STATUS_WARN:
		return flagged && policy->two_stages ? unconfirmed_reason(finding, policy, builder)
						     : warn_reason(finding, policy, builder);
	case STATUS_INCONCLUSIVE:
		return flagged ? unconfirmed_reason(finding, policy, builder)
			       : inconclusive_reason(finding, policy, builder);
	case STATUS_PASS:
	case STATUS_ERROR:
		break;
	}
	return isnan(finding->asked) ? "No threshold is set."
				     : verdict_text(builder, "No growth of the %s asked about.",
					       verdict_percent(builder, finding->asked));
}

/* What was not flagged, and may yet be more than chance. */
static bool
is_open(const struct finding *finding, const struct growth_policy *policy)
{
	const struct effect *effect = &finding->effect;

	return finding->status == STATUS_INCONCLUSIVE ||
	       (finding->status == STATUS_WARN && effect->change >= finding->asked &&
		       !is_significant(effect, policy->alpha));
}

/* What fresh runs neither confirm nor exclude. */
static bool
is_open_again(const struct finding *finding, const struct growth_policy *policy)
{
	return finding->status == STATUS_WARN && finding->first.tested &&
	       !is_significant(&finding->effect, policy->alpha) &&
	       !excludes(&finding->effect, finding->fail_at, policy->alpha);
}

static double
more_runs(const struct finding *finding, const struct growth_policy *policy)
{
	const bool again = finding->first.tested;
	const struct effort_runs runs = {
		.before = again && policy->adds_before ? policy->runs_fresh : policy->runs_before,
		.after = again ? policy->runs_fresh : policy->runs_after,
		.adds_before = policy->adds_before,
	};

	return effort_more_runs(
		&finding->effect, again ? finding->fail_at : finding->asked, policy->alpha, &runs);
}

/* A regression does no more than the policy lets it. */
static enum status
at_most(enum status status, enum policy_action most)
{
	if (status != STATUS_FAIL && status != STATUS_WARN)
		return status;
	return most == POLICY_PASS                            ? STATUS_PASS
	       : most == POLICY_WARN && status == STATUS_FAIL ? STATUS_WARN
							      : status;
}

void
growth_judge(struct finding *finding, const struct growth_evidence *evidence,
	const struct growth_policy *policy, struct verdict_builder *builder)
{
	const struct effect *confirm = evidence->stages[COMPARISON_CONFIRM];
	bool flagged = growth_is_flagged(finding, evidence, policy);

	finding->effect = *evidence->all;
	finding->unconfirmed = flagged && policy->two_stages && !confirm;
	if (flagged && confirm) {
		finding->first = *evidence->stages[COMPARISON_SCREEN];
		finding->effect = *confirm;
	}
	finding->status =
		flagged ? status_of_flagged(finding, policy) : status_of_other(finding, policy);
	if (flagged ? is_open_again(finding, policy) : is_open(finding, policy))
		finding->more_runs = more_runs(finding, policy);
	finding->reason = reason_of(finding, flagged, policy, builder);
	finding->status = growth_limited(at_most(finding->status, policy->most), policy->limited);
}
