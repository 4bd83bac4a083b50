#include "builds/commit_line.h"
#include "builds/repository.h"

#include "git_fixture.h"

void suite_builds_commit_line(void);

static int
read_between(struct git_fixture *f, const struct repository *repository, const char *good,
	const char *bad, struct commit_line *line)
{
	char from[GIT_COMMIT_SIZE];
	char to[GIT_COMMIT_SIZE];

	CU_ASSERT_EQUAL_FATAL(repository_resolve(repository, "GOOD", good, from, &f->err), 0);
	CU_ASSERT_EQUAL_FATAL(repository_resolve(repository, "BAD", bad, to, &f->err), 0);
	return commit_line_read(line, repository, from, to, &f->err);
}

static void
both_ends_and_all_between_are_in_their_order(void)
{
	struct git_fixture f;
	struct repository repository;
	struct commit_line line;

	if (!git_fixture_open(&f, &repository))
		return;
	git_fixture_sh(&f, "git config log.showSignature true\n"
			   "printf 'a\\033[2J\\nsecond line' >message\n"
			   "git -c user.name='A \"b\" <c' -c user.email=a@example.com commit -q "
			   "--allow-empty --date='@1700000000 +0100' -F message\n"
			   "rm message");
	CU_ASSERT_EQUAL_FATAL(read_between(&f, &repository, "one", "HEAD", &line), 0);
	CU_ASSERT_EQUAL_FATAL(line.ncommits, 3);
	char *one = git_fixture_ask("git rev-parse one");
	char *head = git_fixture_ask("git rev-parse HEAD");

	UNIT_STR_EQ(line.commits[0].commit, one);
	UNIT_STR_EQ(line.commits[2].commit, head);
	UNIT_STR_EQ(line.commits[2].author, "A \"b\" c");
	UNIT_CONTAINS(line.commits[2].subject, "a\033[2J");
	CU_ASSERT_EQUAL(line.commits[2].authored, 1700000000);
	CU_ASSERT_EQUAL(line.commits[0].nparents, 0);
	CU_ASSERT_EQUAL(line.commits[2].nparents, 1);
	free(one);
	free(head);
	commit_line_release(&line);
	git_fixture_close(&f, &repository);
}

static void
a_merge_stands_for_what_it_merged(void)
{
	struct git_fixture f;
	struct repository repository;
	struct commit_line line;

	if (!git_fixture_open(&f, &repository))
		return;
	git_fixture_sh(&f, "git config user.name n; git config user.email n@example.com\n"
			   "main=$(git symbolic-ref --short HEAD)\n"
			   "git checkout -q -b side && git commit -q --allow-empty -m side1\n"
			   "git commit -q --allow-empty -m side2 && git checkout -q $main\n"
			   "git commit -q --allow-empty -m main1\n"
			   "git merge -q --no-ff -m merged side");
	CU_ASSERT_EQUAL_FATAL(read_between(&f, &repository, "two", "HEAD", &line), 0);
	CU_ASSERT_EQUAL_FATAL(line.ncommits, 3);
	UNIT_STR_EQ(line.commits[1].subject, "main1");
	UNIT_STR_EQ(line.commits[2].subject, "merged");
	CU_ASSERT_EQUAL(line.commits[2].nparents, 2);
	commit_line_release(&line);
	/* From a commit that was merged: what it has is left out. */
	CU_ASSERT_EQUAL_FATAL(read_between(&f, &repository, "side", "HEAD", &line), 0);
	CU_ASSERT_EQUAL_FATAL(line.ncommits, 3);
	UNIT_STR_EQ(line.commits[0].subject, "side2");
	UNIT_STR_EQ(line.commits[1].subject, "main1");
	commit_line_release(&line);
	git_fixture_close(&f, &repository);
}

static void
what_is_no_line_is_an_error(void)
{
	struct git_fixture f;
	struct repository repository;
	struct commit_line line;

	if (!git_fixture_open(&f, &repository))
		return;
	CU_ASSERT_EQUAL(read_between(&f, &repository, "two", "two", &line), -1);
	UNIT_CONTAINS(f.err.text, "both are the commit");
	CU_ASSERT_EQUAL(read_between(&f, &repository, "two", "one", &line), -1);
	UNIT_CONTAINS(f.err.text, "is no ancestor of");
	UNIT_CONTAINS(f.err.text, "in the wrong order");
	git_fixture_sh(&f, "git config user.name n; git config user.email n@example.com\n"
			   "git checkout -q --orphan other && git commit -q -m other");
	CU_ASSERT_EQUAL(read_between(&f, &repository, "two", "HEAD", &line), -1);
	UNIT_CONTAINS(f.err.text, "git merge-base");
	git_fixture_close(&f, &repository);
}

void
suite_builds_commit_line(void)
{
	static const struct unit_case cases[] = {
		{"both_ends_and_all_between_are_in_their_order",
			both_ends_and_all_between_are_in_their_order},
		{"a_merge_stands_for_what_it_merged", a_merge_stands_for_what_it_merged},
		{"what_is_no_line_is_an_error", what_is_no_line_is_an_error},
		{NULL, NULL},
	};

	unit_suite("builds/commit_line", cases);
}
