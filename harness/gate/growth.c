#include "gate/growth.h"

#include "compare/stats.h"

#include <math.h>

static double
at_least(double threshold, double worth_floor)
{
	return isnan(threshold) ? NAN : fmax(threshold, worth_floor);
}

void
growth_limits(struct finding *finding, const struct threshold *threshold, double floor)
{
	double share = finding->effect.before_share;
	double worth_floor = floor > 0 ? floor / share : 0;

	if (isinf(worth_floor) || isnan(worth_floor))
		return;
	finding->warn_at = at_least(threshold->warn, worth_floor);
	finding->fail_at = at_least(threshold->fail, worth_floor);
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

static enum status
status_of(const struct finding *finding, const struct growth_policy *policy)
{
	const struct effect *effect = &finding->effect;
	bool sees = effect->detectable <= finding->asked ||
		    excludes(effect, finding->asked, policy->alpha);

	if (isnan(finding->asked))
		return STATUS_PASS;
	if (effect->p_adjusted <= policy->alpha && effect->low > finding->fail_at)
		return STATUS_FAIL;
	if (effect->p_adjusted <= policy->alpha && effect->change >= finding->warn_at)
		return STATUS_WARN;
	if (effect->change >= finding->asked)
		return effect->p <= policy->alpha || policy->warns_when_unsure
			       ? STATUS_WARN
			       : STATUS_INCONCLUSIVE;
	return sees ? STATUS_PASS : STATUS_INCONCLUSIVE;
}

static const char *
fail_reason(const struct finding *finding, struct verdict_builder *builder)
{
	const struct effect *effect = &finding->effect;

	return verdict_text(builder,
		"Grew by more than the %.1f %% that fail, with all of its interval; that is %.1f %% of "
		"the whole program's cost.",
		finding->fail_at * 100, effect->change * effect->before_share * 100);
}

static const char *
warn_reason(const struct finding *finding, const struct growth_policy *policy,
	struct verdict_builder *builder)
{
	const struct effect *effect = &finding->effect;

	if (effect->p > policy->alpha)
		return verdict_text(builder,
			"The estimate is above the %.1f %% asked about, but two occasions differ by as much "
			"(SD %.1f %%).",
			finding->asked * 100, effect->spread * 100);
	if (effect->p_adjusted <= policy->alpha && !(effect->change >= finding->fail_at))
		return verdict_text(builder, "Grew by more than the %.1f %% that warn.",
			finding->warn_at * 100);
	if (effect->p_adjusted <= policy->alpha)
		return verdict_text(builder,
			"Grew, and the estimate is above the %.1f %% that fail; its interval, which has "
			"the difference between two occasions in it (SD %.1f %%), reaches below.",
			finding->fail_at * 100, effect->spread * 100);
	return verdict_text(builder,
		"Grew by more than %.1f %%, but among so many subjects one may do so by chance.",
		finding->asked * 100);
}

/* What would help: the larger part of the uncertainty decides. */
static const char *
remedy(const struct effect *effect)
{
	double spread_part =
		effect->spread * effect->spread / (effect->standard_error * effect->standard_error);

	return spread_part > 0.5 ? "a baseline of more occasions would tell"
				 : "more or longer runs would tell";
}

static const char *
inconclusive_reason(const struct finding *finding, struct verdict_builder *builder)
{
	const struct effect *effect = &finding->effect;

	if (effect->change >= finding->asked)
		return verdict_text(builder,
			"The estimate is above the %.1f %% asked about, but this may be chance: %s.",
			finding->asked * 100, remedy(effect));
	return verdict_text(builder,
		"The gate asks about %.1f %%, and up to %.1f %% could have been missed: %s.",
		finding->asked * 100, effect->detectable * 100, remedy(effect));
}

void
growth_judge(struct finding *finding, const struct growth_policy *policy,
	struct verdict_builder *builder)
{
	finding->status = status_of(finding, policy);
	switch (finding->status) {
	case STATUS_FAIL:
		finding->reason = fail_reason(finding, builder);
		break;
	case STATUS_WARN:
		finding->reason = warn_reason(finding, policy, builder);
		break;
	case STATUS_INCONCLUSIVE:
		finding->reason = inconclusive_reason(finding, builder);
		break;
	case STATUS_PASS:
		finding->reason =
			isnan(finding->asked)
				? "No threshold is set."
				: verdict_text(builder, "No growth of the %.1f %% asked about.",
					  finding->asked * 100);
		break;
	case STATUS_ERROR:
		break;
	}
	finding->status = growth_limited(finding->status, policy->limited);
}
