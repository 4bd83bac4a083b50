#include "profile/incomplete.h"

#include "unit.h"

#include <string.h>

void suite_profile_incomplete(void);

static void
incomplete_stacks_are_distinguished(void)
{
	struct profile profile;
	struct buf text = {0};

	profile_init(&profile);
	profile_add_run(&profile);
	profile_add_run(&profile);
	profile.runs[0] = (struct run){
		.measured = true, .samples = 5000, .expected_samples = 5000, .cpu_ns = 1000000000};
	profile.runs[1] = (struct run){.samples = 9, .broken_stacks = 9};
	incomplete_put_stacks(&profile, &text);
	UNIT_STR_EQ(buf_text(&text), "");
	profile.runs[0].broken_stacks = 12;
	incomplete_put_stacks(&profile, &text);
	UNIT_STR_EQ(buf_text(&text), "12 of 5,000 stacks are incomplete (0.24 %): 12 broken");
	profile.runs[0].broken_stacks = 312;
	profile.runs[0].truncated_stacks = 300;
	profile.stack_bytes = 8192;
	buf_clear(&text);
	incomplete_put_stacks(&profile, &text);
	UNIT_STR_EQ(buf_text(&text),
		"312 of 5,000 stacks are incomplete (6.2 %): 300 because the copied part of the "
		"stack (8 KiB) was too short: raise `stack:`; 12 broken");
	/* A file may hold counts that do not go together. */
	profile.runs[0].broken_stacks = 1;
	profile.stack_bytes = 0;
	buf_clear(&text);
	incomplete_put_stacks(&profile, &text);
	UNIT_STR_EQ(buf_text(&text),
		"1 of 5,000 stacks is incomplete (0.020 %): 1 because the copied part of the stack "
		"was too short: raise `stack:`");
	profile.callgraph = strtab_intern_str(&profile.strings, "fp");
	buf_clear(&text);
	incomplete_put_stacks(&profile, &text);
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
	UNIT_NEAR(incomplete_marked_share(&profile, FRAME_BROKEN), 0, 0);
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
	UNIT_NEAR(incomplete_marked_share(&profile, FRAME_BROKEN), 0.4, 1e-12);
	UNIT_NEAR(incomplete_marked_share(&profile, FRAME_TRUNCATED), 0, 0);
	profile_release(&profile);
}

/* Appends the sentence about a profile of this run. */
static bool
is_sparse(struct run run, struct buf *out)
{
	struct profile profile;

	buf_clear(out);
	profile_init(&profile);
	profile.frequency_hz = 99;
	profile_add_run(&profile);
	profile.runs[0] = run;
	const bool result = incomplete_put_sparse(&profile, out);

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

static void
of_a_file_those_that_ended_without_a_sample_count(void)
{
	struct profile profile;
	struct buf out = {0};

	profile_init(&profile);
	profile.frequency_hz = 99;
	profile_add_run(&profile);
	profile.runs[0] = (struct run){.delivered = true, .samples = 5};
	profile.unsampled_tasks = 498;
	profile.unsampled_most = 239.2;
	CU_ASSERT_TRUE(incomplete_put_sparse(&profile, &out));
	UNIT_STR_EQ(buf_text(&out),
		"5 samples are too few to conclude anything from: 498 processes and threads ended "
		"without one, which may have used the CPU time of 240 more: capture with "
		"--frequency 4999");
	/* Many that together had no time for as many samples as there are. */
	profile.unsampled_most = 4.9;
	buf_clear(&out);
	CU_ASSERT_FALSE(incomplete_put_sparse(&profile, &out));
	UNIT_STR_EQ(buf_text(&out), "");
	buf_release(&out);
	profile_release(&profile);
}

void
suite_profile_incomplete(void)
{
	static const struct unit_case cases[] = {
		{"incomplete_stacks_are_distinguished", incomplete_stacks_are_distinguished},
		{"the_share_below_a_mark_is_counted_once", the_share_below_a_mark_is_counted_once},
		{"below_half_of_the_expected_nothing_is_concluded",
			below_half_of_the_expected_nothing_is_concluded},
		{"of_a_file_those_that_ended_without_a_sample_count",
			of_a_file_those_that_ended_without_a_sample_count},
		{NULL, NULL},
	};

	unit_suite("profile/incomplete", cases);
}
