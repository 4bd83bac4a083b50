#include "profile/quality.h"

#include "unit.h"

#include <string.h>

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
	run.period = 1;
	run.expected_samples = 10;
	CU_ASSERT_FALSE(quality_of_run(&run, text));
}

/* Of a profile with a good run and this one. */
static void
expect_remedy(const struct run *run, const char *first, const char *remedy)
{
	struct profile profile;

	profile_init(&profile);
	profile_add_run(&profile);
	profile_add_run(&profile);
	node_id app = ctree_child(
		&profile.tree, CTREE_ROOT, profile_frame(&profile, "app", 3, FRAME_USER));

	ctree_add(&profile.tree, 0, app, 5000);
	ctree_add(&profile.tree, 1, app, (double)run->samples);
	profile.runs[0] = good;
	profile.runs[1] = *run;
	const struct quality_tally tally = quality_count_poor(&profile);

	CU_ASSERT_EQUAL(tally.npoor, 1);
	CU_ASSERT_TRUE(quality_rejects(&tally));
	UNIT_CONTAINS(tally.first, first);
	UNIT_STR_EQ(tally.remedy, remedy);
	profile_release(&profile);
}

static void
a_poor_run_has_its_remedy(void)
{
	struct run run = good;

	run.samples = 3250;
	expect_remedy(&run, "65 %", ": raise capture.max_runs, so that others replace them");
	run.throttled = 3;
	expect_remedy(&run, "65 %", ": sample less often (capture.frequency)");
	run = good;
	run.lost = 100;
	expect_remedy(&run, "100 records", ": sample less often (capture.frequency)");
	run.samples = 10;
	expect_remedy(&run, "only 10 samples", ": measure longer runs (capture.repeat)");
	run = (struct run){.measured = false};
	expect_remedy(&run, "it has no samples", "");
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
		{"a_poor_run_has_its_remedy", a_poor_run_has_its_remedy},
		{"missing_lost_and_few_samples_are_poor", missing_lost_and_few_samples_are_poor},
		{"a_run_of_others_is_not_judged", a_run_of_others_is_not_judged},
		{NULL, NULL},
	};

	unit_suite("profile/quality", cases);
}
