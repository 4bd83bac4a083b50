#include "profile/weights.h"

#include "unit.h"

#include <string.h>

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

static bool
is_counted(const char *metric, const char *unit)
{
	struct profile profile;

	profile_init(&profile);
	profile.metric = strtab_intern_str(&profile.strings, metric);
	profile.unit = strtab_intern_str(&profile.strings, unit);
	const bool counted = weights_are_counted(&profile);

	CU_ASSERT_EQUAL(weights_are_syscalls(&profile), counted && strcmp(unit, "calls") == 0);
	profile.weight = strtab_intern_str(&profile.strings, WEIGHT_PERIOD);
	CU_ASSERT_FALSE(weights_are_counted(&profile));
	profile_release(&profile);
	return counted;
}

static void
a_counted_metric_in_its_unit_is_exact(void)
{
	CU_ASSERT_TRUE(is_counted("instructions", "instructions"));
	CU_ASSERT_TRUE(is_counted("alloc", "bytes"));
	CU_ASSERT_TRUE(is_counted("alloc", "allocations"));
	CU_ASSERT_TRUE(is_counted("syscalls", "calls"));
	CU_ASSERT_TRUE(is_counted("io", "calls"));
}

/* A heap that was sampled has bytes, too; the machine's counter of instructions is sampled. */
static void
a_unit_alone_is_not_exact(void)
{
	CU_ASSERT_FALSE(is_counted("", "instructions"));
	CU_ASSERT_FALSE(is_counted("", "bytes"));
	CU_ASSERT_FALSE(is_counted("", "calls"));
	CU_ASSERT_FALSE(is_counted("cpu", "instructions"));
	CU_ASSERT_FALSE(is_counted("instructions", "samples"));
	CU_ASSERT_FALSE(is_counted("alloc", "calls"));
	CU_ASSERT_FALSE(is_counted("offcpu", "ns"));
	CU_ASSERT_FALSE(is_counted("faults", "faults"));
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
		{"a_counted_metric_in_its_unit_is_exact", a_counted_metric_in_its_unit_is_exact},
		{"a_unit_alone_is_not_exact", a_unit_alone_is_not_exact},
		{"clocks_and_cycles_sample_cpu_time", clocks_and_cycles_sample_cpu_time},
		{NULL, NULL},
	};

	unit_suite("profile/weights", cases);
}
