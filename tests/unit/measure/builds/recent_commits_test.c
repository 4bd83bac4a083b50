#include "builds/recent_commits.h"

#include "git_fixture.h"

void suite_builds_recent_commits(void);

/* A merge of two commits, and one of no file. */
static void
commits_have_the_owners_of_their_files(void)
{
	struct git_fixture f;
	struct repository repository;
	struct recent_commits commits = {0};
	size_t n;

	if (!git_fixture_open(&f, &repository))
		return;
	git_fixture_sh(&f, "echo '* @all' >CODEOWNERS; mkdir .github\n"
			   "printf 'sub/ @sub @both\\n*.sh @shell @both\\n' >.github/CODEOWNERS\n"
			   "git add .; git commit -q -m owners\n"
			   "git checkout -q -b side; echo a >sub/a; git add .; git commit -q -m a\n"
			   "echo b >b.sh; git add .; git commit -q -m b\n"
			   "git checkout -q main; git merge -q --no-ff -m merged side\n"
			   "git commit -q --allow-empty -m ''  --allow-empty-message\n"
			   "git log -3 --format=%H >list");
	recent_commits_read(&commits, 100);
	CU_ASSERT_EQUAL_FATAL(commits.count, 5);
	UNIT_STR_EQ(commits.items[0].subject, "");
	UNIT_STR_EQ(commits.items[0].owners, "");
	UNIT_STR_EQ(commits.items[1].subject, "merged");
	UNIT_STR_EQ(commits.items[1].author, "tester");
	UNIT_STR_EQ(commits.items[1].owners, "@shell @both @sub");
	UNIT_STR_EQ(commits.items[4].subject, "one");
	UNIT_STR_EQ(commits.items[4].owners, "@shell @both @sub");

	const char *const names[] = {
		commits.items[0].commit, commits.items[2].commit, commits.items[4].commit};

	CU_ASSERT_PTR_EQUAL(
		recent_commits_between(&commits, names[1], names[0], &n), &commits.items[0]);
	CU_ASSERT_EQUAL(n, 2);
	recent_commits_between(&commits, names[0], names[1], &n);
	CU_ASSERT_EQUAL(n, 0);
	recent_commits_between(&commits, names[2], names[2], &n);
	CU_ASSERT_EQUAL(n, 0);
	recent_commits_between(&commits, "?", names[0], &n);
	CU_ASSERT_EQUAL(n, 0);
	recent_commits_release(&commits);
	recent_commits_read(&commits, 2);
	CU_ASSERT_EQUAL(commits.count, 2);
	recent_commits_release(&commits);
	git_fixture_enter(&f, "");
	recent_commits_read(&commits, 2);
	CU_ASSERT_EQUAL(commits.count, 0);
	recent_commits_between(&commits, "a", "b", &n);
	CU_ASSERT_EQUAL(n, 0);
	git_fixture_enter(&f, "repo");
	git_fixture_close(&f, &repository);
}

void
suite_builds_recent_commits(void)
{
	static const struct unit_case cases[] = {
		{"commits_have_the_owners_of_their_files", commits_have_the_owners_of_their_files},
		{NULL, NULL},
	};

	unit_suite("builds/recent_commits", cases);
}
