#include "profile/quality.h"

#include "unit.h"

#include <math.h>
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

static void
incomplete_stacks_are_distinguished(void)
{
	struct profile profile;
	struct buf text = {0};

	profile_init(&profile);
	profile_add_run(&profile);
	profile_add_run(&profile);
	profile.runs[0] = good;
	profile.runs[1] = (struct run){.samples = 9, .broken_stacks = 9};
	quality_put_stacks(&profile, &text);
	UNIT_STR_EQ(buf_text(&text), "");
	profile.runs[0].broken_stacks = 12;
	quality_put_stacks(&profile, &text);
	UNIT_STR_EQ(buf_text(&text), "12 of 5,000 stacks are incomplete (0.24 %): 12 broken");
	profile.runs[0].broken_stacks = 312;
	profile.runs[0].truncated_stacks = 300;
	profile.stack_bytes = 8192;
	buf_clear(&text);
	quality_put_stacks(&profile, &text);
	UNIT_STR_EQ(buf_text(&text),
		"312 of 5,000 stacks are incomplete (6.2 %): 300 because the copied part of the "
		"stack (8 KiB) was too short: raise `stack:`; 12 broken");
	/* A file may hold counts that do not go together. */
	profile.runs[0].broken_stacks = 1;
	profile.stack_bytes = 0;
	buf_clear(&text);
	quality_put_stacks(&profile, &text);
	UNIT_STR_EQ(buf_text(&text),
		"1 of 5,000 stacks is incomplete (0.020 %): 1 because the copied part of the stack "
		"was too short: raise `stack:`");
	profile.callgraph = strtab_intern_str(&profile.strings, "fp");
	buf_clear(&text);
	quality_put_stacks(&profile, &text);
	UNIT_STR_EQ(buf_text(&text),
		"1 of 5,000 stacks is incomplete (0.020 %): 1 with more frames than the kernel "
		"records: raise sysctl kernel.perf_event_max_stack, or `callgraph: dwarf`");
	buf_release(&text);
	profile_release(&profile);
}

static void
the_share_below_a_mark_is_counted_once(void)
{
	struct profile profile;

	profile_init(&profile);
	UNIT_NEAR(quality_marked_share(&profile, FRAME_BROKEN), 0, 0);
	profile_add_run(&profile);
	node_id app = ctree_child(
		&profile.tree, CTREE_ROOT, profile_frame(&profile, "app", 3, FRAME_USER));
	node_id mark = ctree_child(&profile.tree, app,
		profile_frame(&profile, FRAME_BROKEN, strlen(FRAME_BROKEN), FRAME_USER));
	node_id leaf =
		ctree_child(&profile.tree, mark, profile_frame(&profile, "f", 1, FRAME_USER));

	ctree_add(&profile.tree, 0, app, 6);
	ctree_add(&profile.tree, 0, mark, 1);
	ctree_add(&profile.tree, 0, leaf, 3);
	UNIT_NEAR(quality_marked_share(&profile, FRAME_BROKEN), 0.4, 1e-12);
	UNIT_NEAR(quality_marked_share(&profile, FRAME_TRUNCATED), 0, 0);
	profile_release(&profile);
}

/* What is said of one run with these samples. */
static bool
is_sparse(struct run run, struct buf *out)
{
	struct profile profile;

	buf_clear(out);
	profile_init(&profile);
	profile.frequency_hz = 99;
	profile_add_run(&profile);
	profile.runs[0] = run;
	const bool result = quality_put_sparse(&profile, out);

	profile_release(&profile);
	return result;
}

static void
below_half_of_the_expected_nothing_is_concluded(void)
{
	struct run run = {.measured = true, .samples = 3, .expected_samples = 204.4};
	struct buf out = {0};

	CU_ASSERT_TRUE(is_sparse(run, &out));
	UNIT_CONTAINS(buf_text(&out), "3 of 204 expected samples (1.5 %) are too few");
	UNIT_CONTAINS(buf_text(&out), "first sampling period, 10.1 ms,");
	UNIT_CONTAINS(buf_text(&out), "--frequency 4999");
	run.lost = 150;
	CU_ASSERT_TRUE(is_sparse(run, &out));
	UNIT_CONTAINS(buf_text(&out), "150 were lost");
	run.lost = 0;
	run.throttled = 2;
	CU_ASSERT_TRUE(is_sparse(run, &out));
	UNIT_CONTAINS(buf_text(&out), "throttled sampling (2 times)");
	run.samples = 102;
	CU_ASSERT_TRUE(is_sparse(run, &out));
	run.samples = 103;
	CU_ASSERT_FALSE(is_sparse(run, &out));
	UNIT_STR_EQ(buf_text(&out), "");
	run.samples = 3;
	run.expected_samples = 0;
	CU_ASSERT_FALSE(is_sparse(run, &out));
	run = (struct run){.samples = 3, .expected_samples = 204};
	CU_ASSERT_FALSE(is_sparse(run, &out));
	buf_release(&out);
}

void
suite_profile_quality(void)
{
	static const struct unit_case cases[] = {
		{"a_full_run_is_good", a_full_run_is_good},
		{"a_poor_run_has_its_remedy", a_poor_run_has_its_remedy},
		{"missing_lost_and_few_samples_are_poor", missing_lost_and_few_samples_are_poor},
		{"a_run_of_others_is_not_judged", a_run_of_others_is_not_judged},
		{"incomplete_stacks_are_distinguished", incomplete_stacks_are_distinguished},
		{"the_share_below_a_mark_is_counted_once", the_share_below_a_mark_is_counted_once},
		{"below_half_of_the_expected_nothing_is_concluded",
			below_half_of_the_expected_nothing_is_concluded},
		{NULL, NULL},
	};

	unit_suite("profile/quality", cases);
}
