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

void
suite_profile_weights(void)
{
	static const struct unit_case cases[] = {
		{"a_profile_that_says_nothing_has_samples",
			a_profile_that_says_nothing_has_samples},
		{"the_unit_and_not_the_event_tells_what_is_counted",
			the_unit_and_not_the_event_tells_what_is_counted},
		{NULL, NULL},
	};

	unit_suite("profile/weights", cases);
}
