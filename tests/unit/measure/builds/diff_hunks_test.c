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
			   "Binary files a/x.bin and b/x.bin differ\n";

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

void
suite_builds_diff_hunks(void)
{
	static const struct unit_case cases[] = {
		{"hunks_have_their_changed_lines", hunks_have_their_changed_lines},
		{"an_excerpt_is_the_part_that_is_wanted", an_excerpt_is_the_part_that_is_wanted},
		{"they_are_read_from_git", they_are_read_from_git},
		{NULL, NULL},
	};

	unit_suite("builds/diff_hunks", cases);
}
