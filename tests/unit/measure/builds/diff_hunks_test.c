#include "builds/diff_hunks.h"

#include "git_fixture.h"

#include <string.h>

void suite_builds_diff_hunks(void);

static const char diff[] = "diff --git a/src/a b.c b/src/a b.c\n"
			   "index 1..2 100644\n"
			   "--- a/src/a b.c\t\n"
			   "+++ b/src/a b.c\t\n"
			   "@@ -10,4 +10,5 @@ f(void)\n"
			   " one\n"
			   "-two\n"
			   "+2\n"
			   "+++ b/is a line\n"
			   " three\n"
			   "@@ -30,2 +31 @@\n"
			   " last\n"
			   "-gone\n"
			   "\\ No newline at end of file\n"
			   "diff --git a/x.bin b/x.bin\n"
			   "Binary files a/x.bin and b/x.bin differ\n"
			   "@@ -1 +1 @@\n"
			   "-of no file\n";

static void
hunks_have_their_changed_lines(void)
{
	struct diff_hunks hunks = {0};

	diff_hunks_parse(&hunks, diff, strlen(diff));
	CU_ASSERT_EQUAL_FATAL(hunks.count, 2);
	UNIT_STR_EQ(hunks.hunks[0].path, "src/a b.c");
	CU_ASSERT_EQUAL(hunks.hunks[0].begin, 10);
	CU_ASSERT_EQUAL(hunks.hunks[0].first, 11);
	CU_ASSERT_EQUAL(hunks.hunks[0].last, 12);
	UNIT_STR_EQ(hunks.hunks[0].text, " one\n-two\n+2\n+++ b/is a line\n three\n");
	/* Where lines were removed, it is the line that is there now. */
	CU_ASSERT_EQUAL(hunks.hunks[1].first, 32);
	diff_hunks_release(&hunks);
}

static void
a_line_number_that_is_too_large_is_the_first_line(void)
{
	static const char *const numbers[] = {
		"4294967296", "18446744073709551621", "18446744073709551617,2", "0,0", "x"};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct diff_hunks hunks = {0};
		char *text = mem_printf("+++ b/x.c\n@@ -1 +%s @@\n-gone\n", numbers[i]);

		diff_hunks_parse(&hunks, text, strlen(text));
		CU_ASSERT_EQUAL_FATAL(hunks.count, 1);
		CU_ASSERT_EQUAL(hunks.hunks[0].begin, 1);
		diff_hunks_release(&hunks);
		free(text);
	}
}

/* A hunk of a new file of `count` lines: "+1", "+2" ... */
static void
parse_new_file(struct diff_hunks *hunks, unsigned count)
{
	struct buf text = {0};

	buf_printf(&text, "+++ b/new.c\n@@ -0,0 +1,%u @@\n", count);
	for (unsigned i = 1; i <= count; i++)
		buf_printf(&text, "+%u\n", i);
	diff_hunks_parse(hunks, buf_text(&text), text.len);
	CU_ASSERT_EQUAL_FATAL(hunks->count, 1);
	buf_release(&text);
}

static void
an_excerpt_is_the_part_that_is_wanted(void)
{
	struct diff_hunks hunks = {0};
	struct buf out = {0};
	bool cut;

	parse_new_file(&hunks, 1000);
	const struct diff_excerpt near = {
		.from = 500, .to = 502, .most_lines = 40, .most_bytes = 400};

	CU_ASSERT_EQUAL(diff_hunk_put(&hunks.hunks[0], &near, &out, &cut), 497);
	CU_ASSERT_TRUE(cut);
	UNIT_STR_EQ(buf_text(&out), "+497\n+498\n+499\n+500\n+501\n+502\n+503\n+504\n+505\n");
	buf_clear(&out);
	/* The line wanted most is there, though it is far behind the first one. */
	const struct diff_excerpt most = {
		.from = 1, .to = 1000, .near = 800, .most_lines = 5, .most_bytes = 400};

	CU_ASSERT_EQUAL(diff_hunk_put(&hunks.hunks[0], &most, &out, &cut), 797);
	UNIT_STR_EQ(buf_text(&out), "+797\n+798\n+799\n+800\n+801\n");
	buf_clear(&out);
	/* In the second half of an excerpt a line has too little behind it. */
	const struct diff_excerpt half = {
		.from = 1, .to = 1000, .near = 21, .most_lines = 40, .most_bytes = 4000};

	CU_ASSERT_EQUAL(diff_hunk_put(&hunks.hunks[0], &half, &out, &cut), 18);
	buf_clear(&out);
	const struct diff_excerpt before_half = {
		.from = 1, .to = 1000, .near = 20, .most_lines = 40, .most_bytes = 4000};

	CU_ASSERT_EQUAL(diff_hunk_put(&hunks.hunks[0], &before_half, &out, &cut), 1);
	buf_clear(&out);
	const struct diff_excerpt few = {.from = 1, .to = 1000, .most_lines = 40, .most_bytes = 7};

	diff_hunk_put(&hunks.hunks[0], &few, &out, &cut);
	UNIT_STR_EQ(buf_text(&out), "+1\n+2\n");
	CU_ASSERT_TRUE(cut);
	buf_release(&out);
	diff_hunks_release(&hunks);
}

static void
they_are_read_from_git(void)
{
	struct git_fixture f;
	struct diff_hunks hunks;

	if (!git_fixture_init(&f))
		return;
	char *one = git_fixture_ask("git rev-parse one");

	git_fixture_sh(&f, "echo more >>program.sh");
	diff_hunks_read(&hunks, one);
	CU_ASSERT_EQUAL_FATAL(hunks.count, 1);
	UNIT_STR_EQ(hunks.hunks[0].path, "program.sh");
	UNIT_STR_EQ(hunks.hunks[0].text, "-echo one\n+echo two\n+more\n");
	diff_hunks_release(&hunks);
	diff_hunks_read(&hunks, "");
	CU_ASSERT_EQUAL(hunks.count, 0);
	diff_hunks_release(&hunks);
	free(one);
	git_fixture_release(&f);
}

/* The commit that is checked out; free() it. */
static char *
changed_lines_begin(struct git_fixture *f)
{
	git_fixture_enter(f, "repo");
	git_fixture_sh(f,
		"for i in 1 2 3 4 5 6 7 8 9; do echo \"line $i\"; done >'a b.c'\n"
		"cp 'a b.c' old.c; cp 'a b.c' gone.c; cp 'a b.c' sub/blanks.c\n"
		"git add -A; git -c user.name=a -c user.email=a@example.org commit -qm lines\n");
	return git_fixture_ask("git rev-parse HEAD");
}

static void
they_are_those_of_the_working_tree(void)
{
	struct git_fixture f;
	struct changed_lines lines;

	if (!git_fixture_init(&f))
		return;
	char *commit = changed_lines_begin(&f);

	git_fixture_sh(&f, "sed -i '3s/.*/++ b\\/old.c/; 6a one\\ntwo' 'a b.c'\n"
			   "git mv old.c new.c; sed -i '1d; 8d' new.c; rm gone.c\n"
			   "sed -i 's/line/  line/' sub/blanks.c\n");
	/* Paths are those in the repository, wherever we stand. */
	git_fixture_enter(&f, "repo/sub");
	changed_lines_read(&lines, commit);
	CU_ASSERT(changed_lines_have(&lines, "a b.c", 3));
	CU_ASSERT(!changed_lines_have(&lines, "a b.c", 4));
	CU_ASSERT(!changed_lines_have(&lines, "a b.c", 6));
	CU_ASSERT(changed_lines_have(&lines, "a b.c", 7));
	CU_ASSERT(changed_lines_have(&lines, "a b.c", 8));
	CU_ASSERT(!changed_lines_have(&lines, "a b.c", 9));
	CU_ASSERT(!changed_lines_have(&lines, "a b.c", 0));
	/* The line above a removal. */
	CU_ASSERT(changed_lines_have(&lines, "new.c", 1));
	CU_ASSERT(changed_lines_have(&lines, "new.c", 6));
	CU_ASSERT(!changed_lines_have(&lines, "new.c", 3));
	CU_ASSERT(!changed_lines_have(&lines, "old.c", 1));
	CU_ASSERT(!changed_lines_have(&lines, "gone.c", 1));
	CU_ASSERT(!changed_lines_have(&lines, "sub/blanks.c", 1));
	changed_lines_release(&lines);
	free(commit);
	git_fixture_release(&f);
}

static void
the_nearest_is_above_if_possible(void)
{
	struct changed_range ranges[] = {{"a.c", 3, 4, false}, {"a.c", 20, 22, false},
		{"b.c", 9, 9, false}, {"a.c", 15, 15, false}, {"a.c", 1, 1, false}};
	const struct changed_lines lines = {
		.ranges = ranges, .count = sizeof(ranges) / sizeof(ranges[0])};

	CU_ASSERT_EQUAL(changed_lines_near(&lines, "a.c", 1, 30, 10), 4);
	CU_ASSERT_EQUAL(changed_lines_near(&lines, "a.c", 1, 30, 21), 21);
	CU_ASSERT_EQUAL(changed_lines_near(&lines, "a.c", 1, 30, 20), 20);
	CU_ASSERT_EQUAL(changed_lines_near(&lines, "a.c", 1, 30, 30), 22);
	CU_ASSERT_EQUAL(changed_lines_near(&lines, "a.c", 1, 3, 10), 3);
	CU_ASSERT_EQUAL(changed_lines_near(&lines, "a.c", 4, 4, 4), 4);
	/* Below, the first one. */
	CU_ASSERT_EQUAL(changed_lines_near(&lines, "a.c", 5, 30, 10), 15);
	CU_ASSERT_EQUAL(changed_lines_near(&lines, "a.c", 21, 30, 10), 21);
	CU_ASSERT_EQUAL(changed_lines_near(&lines, "a.c", 5, 14, 10), 0);
	CU_ASSERT_EQUAL(changed_lines_near(&lines, "a.c", 5, 15, 10), 15);
	CU_ASSERT_EQUAL(changed_lines_near(&lines, "b.c", 1, 30, 10), 9);
	CU_ASSERT_EQUAL(changed_lines_near(&lines, "c.c", 1, 30, 10), 0);
}

static void
of_a_commit_that_is_not_there_none_are_known(void)
{
	struct git_fixture f;
	struct changed_lines lines;

	if (!git_fixture_init(&f))
		return;
	git_fixture_enter(&f, "repo");
	changed_lines_read(&lines, "0123456789012345678901234567890123456789");
	CU_ASSERT_EQUAL(lines.count, 0);
	changed_lines_release(&lines);
	changed_lines_read(&lines, "--output=x");
	CU_ASSERT_EQUAL(lines.count, 0);
	changed_lines_release(&lines);
	git_fixture_release(&f);
}

void
suite_builds_diff_hunks(void)
{
	static const struct unit_case cases[] = {
		{"hunks_have_their_changed_lines", hunks_have_their_changed_lines},
		{"a_line_number_that_is_too_large_is_the_first_line",
			a_line_number_that_is_too_large_is_the_first_line},
		{"an_excerpt_is_the_part_that_is_wanted", an_excerpt_is_the_part_that_is_wanted},
		{"they_are_read_from_git", they_are_read_from_git},
		{"they_are_those_of_the_working_tree", they_are_those_of_the_working_tree},
		{"the_nearest_is_above_if_possible", the_nearest_is_above_if_possible},
		{"of_a_commit_that_is_not_there_none_are_known",
			of_a_commit_that_is_not_there_none_are_known},
		{NULL, NULL},
	};

	unit_suite("builds/diff_hunks", cases);
}
