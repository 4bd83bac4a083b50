#include "profile/weights.h"

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
weights_are_counted(const struct profile *profile)
{
	return metric_is_counted_unit(strtab_str(&profile->strings, profile->unit));
}

bool
weights_are_syscalls(const struct profile *profile)
{
	return unit_is(profile, "calls");
}

const char *
weights_noun(const struct profile *profile)
{
	return profile->unit ? strtab_str(&profile->strings, profile->unit) : "samples";
}

const char *
weights_cost_unit(const struct profile *profile)
{
	const char *cost = strtab_str(&profile->strings, profile->cost_unit);

	return *cost ? cost : weights_noun(profile);
}
