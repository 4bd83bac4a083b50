#include "profile/weights.h"

#include "format/figures.h"
#include "profile/metric.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Doubles hold every whole number up to this. */
#define SAMPLES_MAX 9007199254740992.0

static bool
unit_is(const struct profile *profile, const char *unit)
{
	return strcmp(strtab_str(&profile->strings, profile->unit), unit) == 0;
}

bool
weights_are_samples(const struct profile *profile)
{
	return unit_is(profile, "") || unit_is(profile, "samples");
}

bool
weights_are_periods(const struct profile *profile)
{
	return strcmp(strtab_str(&profile->strings, profile->weight), WEIGHT_PERIOD) == 0;
}

bool
weights_sample_cpu_time(const struct profile *profile)
{
	const char *event = strtab_str(&profile->strings, profile->event);

	return weights_are_samples(profile) && profile->frequency_hz > 0 &&
	       (!*event || strstr(event, "clock") ||
		       (strstr(event, "cycles") && !strstr(event, "stalled")) ||
		       strcmp(event, "samples") == 0 || strcmp(event, "cpu") == 0);
}

bool
weights_are_counted(const struct profile *profile)
{
	const char *metric = strtab_str(&profile->strings, profile->metric);
	const char *unit = strtab_str(&profile->strings, profile->unit);

	/* Sampled instructions can have the unit of counted ones, and the event's name as metric.
	 */
	return !weights_are_periods(profile) && metric_counts_in(metric, unit);
}

bool
weights_are_syscalls(const struct profile *profile)
{
	return weights_are_counted(profile) && unit_is(profile, "calls");
}

bool
weights_follow_speed(const struct profile *profile)
{
	return weights_are_samples(profile) || weights_are_periods(profile) ||
	       weights_are_times(profile);
}

bool
weights_are_times(const struct profile *profile)
{
	return unit_is(profile, "ns");
}

const char *
weights_growth_word(const struct profile *profile)
{
	return weights_follow_speed(profile) ? "slower" : "more";
}

const char *
weights_unit(const struct profile *profile)
{
	return profile->unit ? strtab_str(&profile->strings, profile->unit) : "samples";
}

const char *
weights_noun(const struct profile *profile)
{
	return weights_are_times(profile) ? "time" : weights_unit(profile);
}

const char *
weights_verb(const struct profile *profile)
{
	return weights_are_times(profile) ? "is" : "are";
}

const char *
weights_samples_noun(const struct profile *profile)
{
	return weights_are_times(profile) || weights_are_periods(profile) ? "samples"
									  : weights_unit(profile);
}

void
weights_put(const struct profile *profile, double weight, struct buf *out)
{
	if (weights_are_times(profile))
		format_cost(out, weight, "ns");
	else
		format_count(out, weight);
}

const char *
weights_cost_unit(const struct profile *profile)
{
	const char *cost = strtab_str(&profile->strings, profile->cost_unit);

	return *cost ? cost : weights_unit(profile);
}

double
weights_samples_sum(const struct profile *profile)
{
	double samples = 0;

	for (size_t i = 0; i < profile->nruns; i++)
		samples += (double)profile->runs[i].samples;
	return samples;
}

double
weights_effective_sum(const struct profile *profile)
{
	double sum = 0;
	double squares = 0;

	for (size_t i = 0; i < profile->nruns; i++) {
		double weight = profile_column_total(profile, i);

		sum += weight;
		if (weight > 0)
			squares += weight * weight / run_effective_samples(&profile->runs[i]);
	}
	return sum > 0 ? sum * sum / squares : 0;
}

void
weights_set_periods(
	struct profile *profile, struct run *run, double samples, double effective_samples)
{
	profile->weight = strtab_intern_str(&profile->strings, WEIGHT_PERIOD);
	if (!(samples >= 1 && samples <= SAMPLES_MAX))
		return;
	run->samples = (uint64_t)samples;
	if (effective_samples > 0)
		run->effective_samples = fmin(effective_samples, samples);
}
