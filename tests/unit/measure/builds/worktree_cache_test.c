#include "builds/worktree.h"

#include "git_fixture.h"

void suite_builds_worktree_cache(void);

/* The name of the folder for a repository whose .git is there; free() it. */
static char *
folder_name(struct git_fixture *f, const char *common)
{
	char *path = mem_strdup(common);
	struct repository repository = {.common = path};
	char *folder = worktree_cache_folder(&repository, &f->err);

	CU_ASSERT_PTR_NOT_NULL_FATAL(folder);
	char *name = mem_strdup(file_basename(folder));

	free(folder);
	free(path);
	return name;
}

static void
each_repository_has_a_folder(void)
{
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	char *one = folder_name(&f, "/a/my project/.git");
	char *other = folder_name(&f, "/b/my project/.git");
	char *bare = folder_name(&f, "/b/project.git");
	char *root = folder_name(&f, "/.git");

	UNIT_STR_EQ(one + 12, "-my_project");
	UNIT_STR_EQ(other + 12, "-my_project");
	CU_ASSERT_NOT_EQUAL(strncmp(one, other, 12), 0);
	UNIT_STR_EQ(bare + 12, "-project.git");
	UNIT_STR_EQ(root + 12, "-.git");
	free(one);
	free(other);
	free(bare);
	free(root);
	git_fixture_release(&f);
}

static void
a_relative_folder_of_the_environment_is_not_taken(void)
{
	struct git_fixture f;
	struct repository repository = {.common = NULL};

	if (!git_fixture_init(&f))
		return;
	repository.common = git_fixture_path(&f, "repo/.git");
	setenv("XDG_CACHE_HOME", "cache", 1);
	char *folder = worktree_cache_folder(&repository, &f.err);

	UNIT_CONTAINS(folder ? folder : "", "/.cache/profile_run/worktrees/");
	free(folder);
	setenv("HOME", "", 1);
	folder = worktree_cache_folder(&repository, &f.err);
	CU_ASSERT_PTR_NULL(folder);
	UNIT_CONTAINS(f.err.text, "neither XDG_CACHE_HOME nor HOME is set");
	free(repository.common);
	git_fixture_release(&f);
}

/* Files of a worktree that was used `seconds` after 1970. */
static void
put_worktree(struct git_fixture *f, const char *commit, const char *seconds)
{
	char *script = mem_printf("mkdir -p ../kept/%s ../kept/%s.builds\n"
				  "touch -d @%s ../kept/%s.in_use",
		commit, commit, seconds, commit);

	git_fixture_sh(f, script);
	free(script);
}

static bool
is_there(const char *commit, const char *part)
{
	char *path = worktree_cache_path("../kept", commit, part);
	bool there = file_exists(path);

	free(path);
	return there;
}

static void
the_one_used_first_goes_first(void)
{
	static const char *const commits[] = {"0000000000000000000000000000000000000001",
		"0000000000000000000000000000000000000002",
		"0000000000000000000000000000000000000003"};
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	put_worktree(&f, commits[0], "2000");
	put_worktree(&f, commits[1], "1000");
	put_worktree(&f, commits[2], "3000");
	git_fixture_sh(&f, "touch ../kept/other ../kept/other.in_use");
	worktree_cache_prune("../kept", 2);
	CU_ASSERT_TRUE(is_there(commits[0], ""));
	CU_ASSERT_FALSE(is_there(commits[1], ""));
	CU_ASSERT_FALSE(is_there(commits[1], ".builds"));
	CU_ASSERT_FALSE(is_there(commits[1], ".in_use"));
	CU_ASSERT_TRUE(is_there(commits[2], ""));
	CU_ASSERT_TRUE(is_there("other", ".in_use"));
	char *in_use = worktree_cache_path("../kept", commits[0], ".in_use");
	int lock = worktree_cache_lock(in_use, "uses it", &f.err);

	CU_ASSERT_TRUE_FATAL(lock >= 0);
	worktree_cache_prune("../kept", 0);
	CU_ASSERT_TRUE(is_there(commits[0], ""));
	CU_ASSERT_FALSE(is_there(commits[2], ""));
	close(lock);
	worktree_cache_prune("../kept", 0);
	CU_ASSERT_FALSE(is_there(commits[0], ""));
	worktree_cache_prune("../no such folder", 0);
	free(in_use);
	git_fixture_release(&f);
}

static void
those_of_one_second_are_told_apart(void)
{
	static const char *const commits[] = {"0000000000000000000000000000000000000001",
		"0000000000000000000000000000000000000002",
		"0000000000000000000000000000000000000003",
		"0000000000000000000000000000000000000004"};
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	put_worktree(&f, commits[0], "1000.25");
	put_worktree(&f, commits[1], "1000.75");
	put_worktree(&f, commits[2], "1000.25");
	put_worktree(&f, commits[3], "1000.125");
	worktree_cache_prune("../kept", 3);
	CU_ASSERT_FALSE(is_there(commits[3], ""));
	/* Of two at once, that of the first commit stays. */
	worktree_cache_prune("../kept", 2);
	CU_ASSERT_FALSE(is_there(commits[2], ""));
	worktree_cache_prune("../kept", 1);
	CU_ASSERT_FALSE(is_there(commits[0], ""));
	CU_ASSERT_TRUE(is_there(commits[1], ""));
	git_fixture_release(&f);
}

static void
a_lock_is_not_put_through_a_link(void)
{
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	git_fixture_sh(&f, "ln -s program.sh lock");
	CU_ASSERT_EQUAL(worktree_cache_lock("lock", "does it", &f.err), -1);
	UNIT_CONTAINS(f.err.text, "cannot lock 'lock'");
	git_fixture_release(&f);
}

static const struct unit_case cases[] = {
	{"each_repository_has_a_folder", each_repository_has_a_folder},
	{"a_relative_folder_of_the_environment_is_not_taken",
		a_relative_folder_of_the_environment_is_not_taken},
	{"the_one_used_first_goes_first", the_one_used_first_goes_first},
	{"those_of_one_second_are_told_apart", those_of_one_second_are_told_apart},
	{"a_lock_is_not_put_through_a_link", a_lock_is_not_put_through_a_link},
	{NULL, NULL},
};

void
suite_builds_worktree_cache(void)
{
	unit_suite("builds/worktree_cache", cases);
}
