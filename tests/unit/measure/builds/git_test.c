#include "builds/git.h"

#include "git_fixture.h"

void suite_builds_git(void);

static void
a_repository_in_the_environment_is_ignored(void)
{
	static const char *const args[] = {"rev-parse", "--show-prefix", NULL};
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	setenv("GIT_DIR", "/nowhere", 1);
	setenv("GIT_INDEX_FILE", "/nowhere/index", 1);
	git_fixture_enter(&f, "repo/sub");
	char *prefix = git_line(NULL, args, &f.err);

	unsetenv("GIT_DIR");
	unsetenv("GIT_INDEX_FILE");
	UNIT_STR_EQ(prefix ? prefix : "none", "sub/");
	free(prefix);
	git_fixture_release(&f);
}

static void
its_own_words_are_in_the_error(void)
{
	static const char *const args[] = {"rev-parse", "--show-toplevel", NULL};
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	CU_ASSERT_EQUAL(git_run_checked("/", args, &f.err), -1);
	UNIT_CONTAINS(f.err.text, "'git rev-parse' failed with status 128");
	UNIT_CONTAINS(f.err.text, "note: fatal:");
	git_fixture_release(&f);
}

static void
no_hook_is_run(void)
{
	static const char *const args[] = {"commit", "--quiet", "--allow-empty", "-m", "x", NULL};
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	git_fixture_sh(&f, "mkdir -p .git/hooks; echo 'touch ran; exit 1' >.git/hooks/pre-commit\n"
			   "chmod +x .git/hooks/pre-commit");
	CU_ASSERT_EQUAL(git_run_checked(NULL, args, &f.err), 0);
	CU_ASSERT_FALSE(file_exists("ran"));
	git_fixture_release(&f);
}

static void
a_commit_has_its_whole_name(void)
{
	CU_ASSERT_TRUE(git_is_commit("0123456789abcdef0123456789abcdef01234567"));
	CU_ASSERT_TRUE(
		git_is_commit("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"));
	CU_ASSERT_FALSE(git_is_commit("0123456789abcdef0123456789abcdef0123456"));
	CU_ASSERT_FALSE(git_is_commit("^0123456789abcdef0123456789abcdef01234567"));
	CU_ASSERT_FALSE(git_is_commit("0123456789abcdef0123456789abcdef0123456g"));
	CU_ASSERT_FALSE(git_is_commit("0123456789abcdef0123456789abcdef01234567\n"));
	CU_ASSERT_FALSE(git_is_commit(""));
}

static void
a_folder_without_a_commit_has_none(void)
{
	char commit[GIT_COMMIT_SIZE] = "x";
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	git_head("/", commit);
	UNIT_STR_EQ(commit, "");
	git_head("sub", commit);
	CU_ASSERT_TRUE(git_is_commit(commit));
	git_fixture_release(&f);
}

static const struct unit_case cases[] = {
	{"a_repository_in_the_environment_is_ignored", a_repository_in_the_environment_is_ignored},
	{"its_own_words_are_in_the_error", its_own_words_are_in_the_error},
	{"no_hook_is_run", no_hook_is_run},
	{"a_commit_has_its_whole_name", a_commit_has_its_whole_name},
	{"a_folder_without_a_commit_has_none", a_folder_without_a_commit_has_none},
	{NULL, NULL},
};

void
suite_builds_git(void)
{
	unit_suite("builds/git", cases);
}
