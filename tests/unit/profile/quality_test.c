#include "profile/quality.h"

#include "unit.h"

void suite_profile_quality(void);

static const struct run good = {
	.measured = true, .samples = 5000, .expected_samples = 5000, .cpu_ns = 1000000000};

static void
a_full_run_is_good(void)
{
	char text[QUALITY_TEXT_MAX];

	CU_ASSERT_FALSE(quality_of_run(&good, text));
	UNIT_STR_EQ(text, "");
}

static void
missing_lost_and_few_samples_are_poor(void)
{
	char text[QUALITY_TEXT_MAX];
	struct run run = good;

	run.samples = 3000;
	CU_ASSERT_TRUE(quality_of_run(&run, text));
	UNIT_CONTAINS(text, "60 %");
	run = good;
	run.lost = 100;
	CU_ASSERT_TRUE(quality_of_run(&run, text));
	UNIT_CONTAINS(text, "100 records");
	run = good;
	run.samples = 10;
	CU_ASSERT_TRUE(quality_of_run(&run, text));
	UNIT_CONTAINS(text, "only 10 samples");
}

static void
a_run_of_others_is_not_judged(void)
{
	char text[QUALITY_TEXT_MAX];
	struct run run = {.samples = 1};

	CU_ASSERT_FALSE(quality_of_run(&run, text));
}

void
suite_profile_quality(void)
{
	static const struct unit_case cases[] = {
		{"a_full_run_is_good", a_full_run_is_good},
		{"missing_lost_and_few_samples_are_poor", missing_lost_and_few_samples_are_poor},
		{"a_run_of_others_is_not_judged", a_run_of_others_is_not_judged},
		{NULL, NULL},
	};

	unit_suite("profile/quality", cases);
}
