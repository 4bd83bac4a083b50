#include "profile/weights.h"

#include "unit.h"

void suite_profile_weights(void);

static void
a_profile_that_says_nothing_has_samples(void)
{
	struct profile profile;

	profile_init(&profile);
	CU_ASSERT(weights_are_samples(&profile));
	CU_ASSERT(!weights_are_counted(&profile));
	UNIT_STR_EQ(weights_noun(&profile), "samples");
	profile.unit = strtab_intern_str(&profile.strings, "samples");
	CU_ASSERT(weights_are_samples(&profile));
	profile_release(&profile);
}

static void
the_unit_and_not_the_event_tells_what_is_counted(void)
{
	struct profile profile;

	profile_init(&profile);
	profile.metric = profile.event = strtab_intern_str(&profile.strings, "instructions");
	profile.unit = strtab_intern_str(&profile.strings, "samples");
	CU_ASSERT(!weights_are_counted(&profile));
	profile.unit = strtab_intern_str(&profile.strings, "instructions");
	CU_ASSERT(weights_are_counted(&profile));
	CU_ASSERT(!weights_are_samples(&profile));
	UNIT_STR_EQ(weights_noun(&profile), "instructions");
	profile.unit = strtab_intern_str(&profile.strings, "bytes");
	CU_ASSERT(weights_are_counted(&profile));
	CU_ASSERT(!weights_are_samples(&profile));
	profile.unit = strtab_intern_str(&profile.strings, "faults");
	CU_ASSERT(!weights_are_counted(&profile));
	CU_ASSERT(!weights_are_samples(&profile));
	profile_release(&profile);
}

static void
clocks_and_cycles_sample_cpu_time(void)
{
	static const char *const times[] = {
		"", "cpu-clock:ppp", "cycles:u", "cpu_core/cycles/", "samples", "cpu"};
	static const char *const others[] = {"page-faults", "context-switches", "cache-misses",
		"stalled-cycles-frontend", "instructions"};
	struct profile profile;

	profile_init(&profile);
	CU_ASSERT(!weights_sample_cpu_time(&profile));
	profile.frequency_hz = 99;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		profile.event = strtab_intern_str(&profile.strings, times[i]);
		CU_ASSERT(weights_sample_cpu_time(&profile));
	}
	profile.unit = strtab_intern_str(&profile.strings, "bytes");
	CU_ASSERT(!weights_sample_cpu_time(&profile));
	profile.unit = 0;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		profile.event = strtab_intern_str(&profile.strings, others[i]);
		CU_ASSERT(!weights_sample_cpu_time(&profile));
	}
	profile_release(&profile);
}

void
suite_profile_weights(void)
{
	static const struct unit_case cases[] = {
		{"a_profile_that_says_nothing_has_samples",
			a_profile_that_says_nothing_has_samples},
		{"the_unit_and_not_the_event_tells_what_is_counted",
			the_unit_and_not_the_event_tells_what_is_counted},
		{"clocks_and_cycles_sample_cpu_time", clocks_and_cycles_sample_cpu_time},
		{NULL, NULL},
	};

	unit_suite("profile/weights", cases);
}
