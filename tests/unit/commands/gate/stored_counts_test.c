#include "gate/stored_counts.h"

#include "unit.h"

void suite_gate_stored_counts(void);

static void
set_code(struct profile *profile, const char *code)
{
	profile_init(profile);
	profile->code = strtab_intern_str(&profile->strings, code);
}

static void
counts_are_of_the_program_with_its_hash_or_digest(void)
{
	struct baseline counts = {.info.program_hash = "a"};
	struct profile same;
	struct profile other;
	struct profile unknown;

	set_code(&counts.profile, "1  work\n");
	set_code(&same, "1  work\n");
	set_code(&other, "2  work\n");
	set_code(&unknown, "");
	CU_ASSERT_TRUE(stored_counts_are_of(&counts, "a", &other));
	CU_ASSERT_TRUE(stored_counts_are_of(&counts, "b", &same));
	CU_ASSERT_FALSE(stored_counts_are_of(&counts, "b", &other));
	CU_ASSERT_FALSE(stored_counts_are_of(&counts, "b", &unknown));
	counts.profile.code = 0;
	CU_ASSERT_FALSE(stored_counts_are_of(&counts, "b", &unknown));
	profile_release(&unknown);
	profile_release(&other);
	profile_release(&same);
	profile_release(&counts.profile);
}

void
suite_gate_stored_counts(void)
{
	static const struct unit_case cases[] = {
		{"counts_are_of_the_program_with_its_hash_or_digest",
			counts_are_of_the_program_with_its_hash_or_digest},
		{NULL, NULL},
	};

	unit_suite("gate/stored_counts", cases);
}
