#include "profile/folded.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "unit.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void suite_profile_folded(void);

static int
read_text(struct profile *profile, const char *text, struct err *err)
{
	profile_init(profile);
	return folded_read(profile, "in.folded", text, strlen(text), err);
}

/* What `text` becomes when it is read and written again. */
static char *
round_trip(const char *text, enum folded_columns columns)
{
	struct profile profile;
	struct err err = {0};
	struct buf out = {0};

	if (read_text(&profile, text, &err) == 0) {
		profile_sort(&profile);
		folded_write(&profile, columns, &out);
	} else {
		buf_puts(&out, err.text);
	}
	char *result = mem_strdup(buf_text(&out));

	buf_release(&out);
	profile_release(&profile);
	return result;
}

static void
expect(const char *text, enum folded_columns columns, const char *expected)
{
	char *result = round_trip(text, columns);

	UNIT_STR_EQ(result, expected);
	free(result);
}

static void
expect_error(const char *text, const char *part)
{
	struct profile profile;
	struct err err = {0};

	CU_ASSERT_EQUAL(read_text(&profile, text, &err), -1);
	UNIT_CONTAINS(err.text, part);
	CU_ASSERT_EQUAL(err.kind, ERR_INPUT);
	profile_release(&profile);
}

static void
lines_are_summed_and_sorted_by_frame(void)
{
	expect("b 1\na;c 2\nb 3\na;b 1\n", FOLDED_SUM, "a;b 1\na;c 2\nb 4\n");
}

static void
a_file_for_any_tool_says_what_weights_are_unless_samples(void)
{
	expect("# unit: ns\n# event: clock\na;b 1\n", FOLDED_FILE,
		"# event: clock\n# unit: ns\na;b 1\n");
	expect("# unit: samples\n# event: cpu-clock\na;b 1\n", FOLDED_FILE, "a;b 1\n");
	expect("a;b 1\n", FOLDED_FILE, "a;b 1\n");
}

static void
siblings_are_not_split_by_a_name_that_goes_on(void)
{
	expect("a;foo;bar 2\na;foo.part.0 3\na;foo 1\n", FOLDED_SUM,
		"a;foo 1\na;foo;bar 2\na;foo.part.0 3\n");
}

static void
a_prefix_of_a_name_is_not_the_frame(void)
{
	expect("a;bcd 1\na;bc 2\na;bcd;e 3\na;b 4\na 5\n", FOLDED_SUM,
		"a 5\na;b 4\na;bc 2\na;bcd 1\na;bcd;e 3\n");
}

static void
names_may_hold_spaces(void)
{
	expect("m;operator new(unsigned long) 3\n", FOLDED_SUM,
		"m;operator new(unsigned long) 3\n");
}

static void
tabs_before_weights_are_none_of_the_name(void)
{
	expect("a;b\t3\na;b 1\n", FOLDED_SUM, "a;b 4\n");
	expect("# runs: 2\na;b\t1 \t2\n", FOLDED_RUNS, "# runs: 2\na;b 1 2\n");
}

static void
fractions_and_missing_last_newline_are_read(void)
{
	expect("a;b 0.25\na;b 1.5\r\n\na 2", FOLDED_SUM, "a 2\na;b 1.75\n");
	expect("a;b 1.5e3\na;c 2E-1\na;d .5\na;e 3.\n", FOLDED_SUM,
		"a;b 1500\na;c 0.2\na;d 0.5\na;e 3\n");
}

static void
runs_keep_their_columns(void)
{
	static const char text[] = "# runs: 3\n# workload: w\n# event: cpu-clock\n# unit: samples\n"
				   "# frequency: 4999\na;b 1 0 2\na;c_[k] 0 5 0\n";

	expect(text, FOLDED_RUNS, text);
	expect(text, FOLDED_SUM, "a;b 3\na;c_[k] 5\n");
}

static void
comments_are_never_stacks(void)
{
	static const char austin[] = "# austin: 3.6.0\n# interval: 100\n# mode: wall\n\n"
				     "P42;T0:1;/app/a.py:work:3 1200\n\n# duration: 12345\n"
				     "# saturation: 3/17\n# sampling: 1,2,3\n# map: 1-2 /a;b 3\n";

	expect(austin, FOLDED_SUM, "P42;T0:1;/app/a.py:work:3 1200\n");
	expect("# total 5\n#\n#\tt;u 3\nb 2\n# event: x;f 1\n", FOLDED_SUM, "b 2\n");
	expect("# runs: 1\n# later: 7\nb 2\n# later: 7\n", FOLDED_SUM, "b 2\n");
	/* Names of Ruby. */
	expect("#<Class:0x1>#run;f 3\n##;f 1\n", FOLDED_SUM, "##;f 1\n#<Class:0x1>#run;f 3\n");
	expect_error("# duration: 12345\n", "no stacks");
}

static void
a_stack_that_looks_like_a_comment_stays_a_stack(void)
{
	expect(";# runs: 3;f 1\n;# 2\n", FOLDED_SUM, ";# 2\n;# runs: 3;f 1\n");
	expect("# runs: 2\n;# event: x;f 1 2\n", FOLDED_RUNS, "# runs: 2\n;# event: x;f 1 2\n");
}

static void
joined_files_that_differ_are_refused(void)
{
	expect_error("# runs: 1\na 1\n# runs: 1\nb 2\n", "in.folded:3:1: error: a second header");
	expect_error("# unit: us\na 1\n# unit: ms\nb 2\n",
		"in.folded:3:9: error: this is not so for the stacks above");
	expect_error("a 1\n# unit: ms\nb 2\n", "in.folded:2:9: error: this is not so");
	expect("# unit: us\na 1\n# unit: us\nb 2\n# event: e\n", FOLDED_RUNS,
		"# runs: 1\n# event: e\n# unit: us\na 1\nb 2\n");
}

static void
messages_among_stacks_are_skipped(void)
{
	const enum log_level level = log_get_level();

	log_set_level(LOG_ERROR);
	expect("WARNING: 2 stack traces could not be displayed. Consider x.\na;b 1\n"
	       "WARNING: hash table full. Consider increasing --hash-storage-size.\n",
		FOLDED_SUM, "a;b 1\n");
	log_set_level(level);
	expect_error("a;b 1\nWARNING: something else\n", "a weight must be a number");
}

static void
a_name_that_ends_in_a_number_keeps_it_among_runs(void)
{
	static const char text[] = "# runs: 2\na;worker 7 1 2\n";

	expect(text, FOLDED_RUNS, text);
}

static void
suffixes_tell_the_kind(void)
{
	struct profile profile;
	struct err err = {0};

	CU_ASSERT_EQUAL(read_text(&profile, "a;b_[k];c_[i];d_[j];e_[x] 1\n", &err), 0);
	CU_ASSERT_EQUAL(profile.frames.frames[1].kind, FRAME_USER);
	CU_ASSERT_EQUAL(profile.frames.frames[2].kind, FRAME_KERNEL);
	CU_ASSERT_EQUAL(profile.frames.frames[3].kind, FRAME_INLINED);
	CU_ASSERT_EQUAL(profile.frames.frames[4].kind, FRAME_JIT);
	CU_ASSERT_EQUAL(profile.frames.frames[5].kind, FRAME_USER);
	UNIT_STR_EQ(profile_frame_name(&profile, 2), "b");
	UNIT_STR_EQ(profile_frame_name(&profile, 5), "e_[x]");
	profile_release(&profile);
}

static void
bad_lines_are_pointed_at(void)
{
	expect_error("", "no stacks");
	expect_error("a;b 1\nabc\n", "in.folded:2:4: error: no weight");
	expect_error("a;b x\n", "in.folded:1:5: error: a weight must be a number");
	expect_error("a;b -1\n", "not negative");
	expect_error("a;b nan\n", "must be a number");
	expect_error("a;b inf\n", "must be a number");
	expect_error("a;b 0x10\n", "must be a number");
	expect_error("a;b 1e999\n", "must be a number");
	expect_error(
		"a;b 1,000\n", "in.folded:1:5: error: a weight must be a number without commas");
	expect_error("a;b 1_000\n", "must be a number");
	expect_error("a;b +1\n", "must be a number");
	expect_error("# runs: 2\na;b 1\n", "fewer weights");
	expect_error("# runs: 0\na;b 1\n", "whole number from 1");
	expect_error("# runs: 99999999\na;b 1\n", "whole number from 1");
	expect_error(";; 1\n", "no frame");
}

static void
the_first_of_several_bad_lines_is_reported(void)
{
	expect_error("a 1\n;; 1\na x\n", "in.folded:2:1: error: this stack has no frame");
	expect_error("a 1\na x\n;; 1\n", "in.folded:2:3: error: a weight");
	expect_error("a;b 1\n;; 1", "in.folded:2:1: error: this stack has no frame");
}

static void
hostile_names_cannot_add_lines(void)
{
	struct profile profile;
	struct buf out = {0};

	profile_init(&profile);
	profile_add_run(&profile);
	frame_id f = profile_frame(&profile, "a;b\nc 9", 7, FRAME_USER);

	ctree_add(&profile.tree, 0, ctree_child(&profile.tree, CTREE_ROOT, f), 1);
	profile_sort(&profile);
	folded_write(&profile, FOLDED_SUM, &out);
	UNIT_STR_EQ(buf_text(&out), "a:b?c 9 1\n");
	buf_release(&out);
	profile_release(&profile);
}

/* Some pieces' worth. */
static void
fill(struct profile *profile)
{
	char name[32];

	profile_init(profile);
	profile_add_run(profile);
	profile_add_run(profile);
	for (unsigned i = 0; i < 60000; i++) {
		int len = snprintf(name, sizeof(name), "function number %u", i);
		frame_id f = profile_frame(profile, name, (size_t)len, i % 4);
		node_id node = ctree_child(&profile->tree, i / 3, f);

		ctree_add(&profile->tree, i % 2, node, i % 5);
	}
	profile_sort(profile);
}

static void
a_file_gets_the_text_that_memory_gets(void)
{
	static const enum folded_columns columns[] = {FOLDED_SUM, FOLDED_RUNS};
	char path[] = "/tmp/profile_run_test.XXXXXX";
	struct profile profile;
	struct err err = {0};

	close(mkstemp(path));
	fill(&profile);
	for (size_t i = 0; i < 2; i++) {
		struct buf expected = {0};
		struct buf got = {0};

		folded_write(&profile, columns[i], &expected);
		CU_ASSERT_TRUE(expected.len > (size_t)1 << 20);
		CU_ASSERT_EQUAL(folded_write_file(&profile, columns[i], path, &err), 0);
		CU_ASSERT_EQUAL(file_read(path, &got, 1 << 30, &err), 0);
		CU_ASSERT_EQUAL_FATAL(got.len, expected.len);
		CU_ASSERT_EQUAL(memcmp(got.data, expected.data, got.len), 0);
		buf_release(&got);
		buf_release(&expected);
	}
	unlink(path);
	profile_release(&profile);
}

static void
a_full_disk_is_reported_of_each_piece(void)
{
	struct profile profile;
	struct err err = {0};

	fill(&profile);
	CU_ASSERT_EQUAL(folded_write_file(&profile, FOLDED_SUM, "/dev/full", &err), -1);
	UNIT_CONTAINS(err.text, "cannot write '/dev/full'");
	profile_release(&profile);
	/* For a text of one piece, too. */
	err = (struct err){0};
	CU_ASSERT_EQUAL(read_text(&profile, "a;b 1\n", &err), 0);
	CU_ASSERT_EQUAL(folded_write_file(&profile, FOLDED_SUM, "/dev/full", &err), -1);
	profile_release(&profile);
	CU_ASSERT_EQUAL(err.kind, ERR_SYSTEM);
}

static void
a_very_deep_stack_is_read_and_written(void)
{
	struct buf text = {0};

	for (int i = 0; i < 50000; i++)
		buf_printf(&text, "%sf%d", i ? ";" : "", i % 7);
	buf_puts(&text, " 3\n");
	char *result = round_trip(buf_text(&text), FOLDED_SUM);

	UNIT_STR_EQ(result, buf_text(&text));
	free(result);
	buf_release(&text);
}

static void
a_stack_deeper_than_any_program_is_refused(void)
{
	struct buf text = {0};

	buf_puts(&text, "a;b 1\n");
	for (int i = 0; i < 1000001; i++)
		buf_puts(&text, "f;");
	buf_puts(&text, "leaf 3\n");
	expect_error(buf_text(&text), "in.folded:2:2000001: error: a stack of more than a million");
	buf_release(&text);
}

static void
a_stack_that_goes_on_where_a_deep_one_ended_is_refused_too(void)
{
	struct buf deep = {0};
	struct buf text = {0};

	for (int i = 0; i < 1000000; i++)
		buf_puts(&deep, i > 0 ? ";f" : "f");
	buf_printf(&text, "%s 1\n%s;leaf 1\n", buf_text(&deep), buf_text(&deep));
	expect_error(buf_text(&text), "in.folded:2:2000001: error: a stack of more than a million");
	buf_release(&text);
	buf_release(&deep);
}

static void
frames_without_a_name_are_none_of_the_million(void)
{
	struct buf text = {0};

	buf_puts(&text, "a");
	for (int i = 0; i < 1000001; i++)
		buf_putc(&text, ';');
	buf_puts(&text, "b 1\n");
	expect(buf_text(&text), FOLDED_SUM, "a;b 1\n");
	buf_release(&text);
}

static void
many_runs_of_many_frames_are_refused_before_they_fill_the_memory(void)
{
	struct buf text = {0};

	buf_puts(&text, "# runs: 10000\n");
	for (int i = 0; i < 14000; i++)
		buf_printf(&text, "f%d;", i);
	for (int i = 0; i < 10000; i++)
		buf_puts(&text, " 0");
	expect_error(buf_text(&text), "in.folded:2:1: error: too many frames for so many runs");
	buf_release(&text);
}

static int
read_pair(struct profile *profile, const char *text, struct err *err)
{
	const struct file_view view = {.data = text, .len = strlen(text)};

	profile_init(profile);
	return folded_read_pair(profile, "in.folded", &view, err);
}

static void
expect_pair(const char *text, const char *expected)
{
	struct profile profile;
	struct err err = {0};
	struct buf out = {0};

	if (read_pair(&profile, text, &err) == 0) {
		profile_sort(&profile);
		folded_write(&profile, FOLDED_RUNS, &out);
	} else {
		buf_puts(&out, err.text);
	}
	UNIT_CONTAINS(buf_text(&out), expected);
	buf_release(&out);
	profile_release(&profile);
}

static void
a_difference_has_two_weights_a_line(void)
{
	expect_pair("a;b 10 12\na;c 0 0.5\na;b\t1 \t2\r\n", "a;b 11 14\na;c 0 0.5\n");
	expect_pair("a;thread 1 10 12\n", "a;thread 1 10 12\n");
	expect_pair("# runs: 2\na;b 10 12\n", "a;b 10 12\n");
	expect_pair("a;b 10 12\na;c 3\n", "in.folded:2:4: error: fewer than two weights");
	expect_pair("a;b 10 12\na;c x 3\n", "in.folded:2:5: error: a weight must be a number");
	expect_pair("a;b -1 3\n", "in.folded:1:5: error: a weight must be");
	expect_pair("10 12\n", "in.folded:1:3: error: fewer than two weights");
	expect_pair("# runs: 3\na;b 1 2 3\n", "in.folded:1:9: error: a difference has 2 runs");
}

static void
a_difference_is_not_taken_for_names_that_end_in_numbers(void)
{
	expect_error(
		"a;b 10 12\na;c 0 7\n", "in.folded:1:5: error: every line ends in two weights");
	expect_error("\na;b\t10\t12", "in.folded:2:5: error: every line ends in two weights");
	expect("a;b 10 12\na;c 7\n", FOLDED_SUM, "a;b 10 12\na;c 7\n");
	expect("a;c 7\na;b 10 12\n", FOLDED_SUM, "a;b 10 12\na;c 7\n");
	expect("# runs: 1\na;b 10 12\n", FOLDED_SUM, "a;b 10 12\n");
}

static void
lines_of_words_and_a_number_are_no_stacks(void)
{
	expect_error("10:00:01 server started on port 8080\n10:00:02 retry 3\n",
		"in.folded:1:9: error: words and a number, but no line of this file");
	expect_error("main 3\nGC Thread 2\n", "in.folded:2:3: error: words and a number");
	expect("main 3\nidle 2\n", FOLDED_SUM, "idle 2\nmain 3\n");
	expect("GC Thread 2\nmain;f 3\n", FOLDED_SUM, "GC Thread 2\nmain;f 3\n");
	expect("main;f 3\nGC Thread 2\n", FOLDED_SUM, "GC Thread 2\nmain;f 3\n");
	expect("# unit: ns\nGC Thread 2\n", FOLDED_SUM, "GC Thread 2\n");
	/* It is written so that it can be read. */
	expect("# runs: 1\nGC Thread 2\n", FOLDED_FILE, "# runs: 1\nGC Thread 2\n");
	expect("# runs: 1\nGC Thread;f 2\n", FOLDED_FILE, "GC Thread;f 2\n");
}

/* Frame by frame, each looked up by itself. */
static node_id
plain_node(struct profile *profile, const char *stack)
{
	node_id node = CTREE_ROOT;

	while (*stack) {
		size_t len = strcspn(stack, ";");

		if (len > 0)
			node = ctree_child(
				&profile->tree, node, profile_frame_text(profile, stack, len));
		stack += len + (stack[len] == ';');
	}
	return node;
}

/* Whatever it shares with the one before, a stack gets the node that `plain_node` finds. */
static void
expect_nodes(const char *const *stacks, size_t n)
{
	struct profile plain;
	struct buf text = {0};
	struct buf expected = {0};

	profile_init(&plain);
	profile_add_run(&plain);
	for (size_t i = 0; i < n; i++) {
		buf_printf(&text, "%s %zu\n", stacks[i], i + 1);
		ctree_add(&plain.tree, 0, plain_node(&plain, stacks[i]), (double)(i + 1));
	}
	profile_sort(&plain);
	folded_write(&plain, FOLDED_SUM, &expected);
	expect(buf_text(&text), FOLDED_SUM, buf_text(&expected));
	buf_release(&expected);
	buf_release(&text);
	profile_release(&plain);
}

static void
stacks_that_share_their_beginning_reach_their_nodes(void)
{
	static const char *const stacks[] = {"a", "a;b", "a;b", "a;bc", "a;b;c", "a", "a;;b", ";a",
		";a;b", "b", "b;", "b;;c", "b;;c;d", "b;;d", "ab", "a;b_[k]", "a;b", "a;b;c;d;e",
		"a;b;c;d", "x;y;z", "x;y", "x;yz", "x;y;zz"};

	expect_nodes(stacks, sizeof(stacks) / sizeof(stacks[0]));
}

/* Regular enough for guesses to set in. */
static void
deep_stacks_reach_their_nodes(void)
{
	enum { STACKS = 400 };
	static struct buf texts[STACKS];
	const char *stacks[STACKS];
	uint32_t state = 1;

	for (size_t i = 0; i < STACKS; i++) {
		size_t depth = 1 + i * 7 % 60;

		for (size_t frame = 0; frame < depth; frame++) {
			state = state * 1664525 + 1013904223;
			bool odd = (i / 100) % 2 == 1 || state >> 28 == 0;

			buf_printf(&texts[i], "%sf%u", frame > 0 ? ";" : "",
				odd ? state >> 24 : (unsigned)frame);
		}
		stacks[i] = buf_text(&texts[i]);
	}
	expect_nodes(stacks, STACKS);
	for (size_t i = 0; i < STACKS; i++)
		buf_release(&texts[i]);
}

void
suite_profile_folded(void)
{
	static const struct unit_case cases[] = {
		{"lines_are_summed_and_sorted_by_frame", lines_are_summed_and_sorted_by_frame},
		{"a_file_for_any_tool_says_what_weights_are_unless_samples",
			a_file_for_any_tool_says_what_weights_are_unless_samples},
		{"siblings_are_not_split_by_a_name_that_goes_on",
			siblings_are_not_split_by_a_name_that_goes_on},
		{"a_prefix_of_a_name_is_not_the_frame", a_prefix_of_a_name_is_not_the_frame},
		{"names_may_hold_spaces", names_may_hold_spaces},
		{"tabs_before_weights_are_none_of_the_name",
			tabs_before_weights_are_none_of_the_name},
		{"fractions_and_missing_last_newline_are_read",
			fractions_and_missing_last_newline_are_read},
		{"runs_keep_their_columns", runs_keep_their_columns},
		{"comments_are_never_stacks", comments_are_never_stacks},
		{"a_stack_that_looks_like_a_comment_stays_a_stack",
			a_stack_that_looks_like_a_comment_stays_a_stack},
		{"joined_files_that_differ_are_refused", joined_files_that_differ_are_refused},
		{"messages_among_stacks_are_skipped", messages_among_stacks_are_skipped},
		{"a_name_that_ends_in_a_number_keeps_it_among_runs",
			a_name_that_ends_in_a_number_keeps_it_among_runs},
		{"suffixes_tell_the_kind", suffixes_tell_the_kind},
		{"bad_lines_are_pointed_at", bad_lines_are_pointed_at},
		{"the_first_of_several_bad_lines_is_reported",
			the_first_of_several_bad_lines_is_reported},
		{"hostile_names_cannot_add_lines", hostile_names_cannot_add_lines},
		{"a_file_gets_the_text_that_memory_gets", a_file_gets_the_text_that_memory_gets},
		{"a_full_disk_is_reported_of_each_piece", a_full_disk_is_reported_of_each_piece},
		{"a_very_deep_stack_is_read_and_written", a_very_deep_stack_is_read_and_written},
		{"a_stack_deeper_than_any_program_is_refused",
			a_stack_deeper_than_any_program_is_refused},
		{"a_stack_that_goes_on_where_a_deep_one_ended_is_refused_too",
			a_stack_that_goes_on_where_a_deep_one_ended_is_refused_too},
		{"frames_without_a_name_are_none_of_the_million",
			frames_without_a_name_are_none_of_the_million},
		{"many_runs_of_many_frames_are_refused_before_they_fill_the_memory",
			many_runs_of_many_frames_are_refused_before_they_fill_the_memory},
		{"a_difference_has_two_weights_a_line", a_difference_has_two_weights_a_line},
		{"a_difference_is_not_taken_for_names_that_end_in_numbers",
			a_difference_is_not_taken_for_names_that_end_in_numbers},
		{"lines_of_words_and_a_number_are_no_stacks",
			lines_of_words_and_a_number_are_no_stacks},
		{"stacks_that_share_their_beginning_reach_their_nodes",
			stacks_that_share_their_beginning_reach_their_nodes},
		{"deep_stacks_reach_their_nodes", deep_stacks_reach_their_nodes},
		{NULL, NULL},
	};

	unit_suite("profile/folded", cases);
}
