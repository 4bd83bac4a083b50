#include "profile/weights.h"

#include "format/figures.h"
#include "profile/metric.h"

#include <string.h>

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
	/* Sampled instructions have the unit of those that are counted. */
	return !weights_are_periods(profile) &&
	       metric_is_counted_unit(strtab_str(&profile->strings, profile->unit));
}

bool
weights_are_syscalls(const struct profile *profile)
{
	return !weights_are_periods(profile) && unit_is(profile, "calls");
}

bool
weights_are_times(const struct profile *profile)
{
	return unit_is(profile, "ns");
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
