#include "builds/changed_lines.h"

#include "git_fixture.h"

void suite_builds_changed_lines(void);

/* The commit that is checked out; free() it. */
static char *
begin(struct git_fixture *f)
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
	char *commit = begin(&f);

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
	struct changed_range ranges[] = {
		{"a.c", 3, 4, false}, {"a.c", 20, 22, false}, {"b.c", 9, 9, false}};
	const struct changed_lines lines = {.ranges = ranges, .count = 3};

	CU_ASSERT_EQUAL(changed_lines_near(&lines, "a.c", 1, 30, 10), 4);
	CU_ASSERT_EQUAL(changed_lines_near(&lines, "a.c", 1, 30, 21), 21);
	CU_ASSERT_EQUAL(changed_lines_near(&lines, "a.c", 5, 30, 10), 20);
	CU_ASSERT_EQUAL(changed_lines_near(&lines, "a.c", 5, 19, 10), 0);
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

static const struct unit_case cases[] = {
	{"they_are_those_of_the_working_tree", they_are_those_of_the_working_tree},
	{"the_nearest_is_above_if_possible", the_nearest_is_above_if_possible},
	{"of_a_commit_that_is_not_there_none_are_known",
		of_a_commit_that_is_not_there_none_are_known},
	{NULL, NULL},
};

void
suite_builds_changed_lines(void)
{
	unit_suite("builds/changed_lines", cases);
}
