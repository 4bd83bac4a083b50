#include "builds/repository.h"

#include "git_fixture.h"
#include "stderr_file.h"

void suite_builds_repository(void);

static void
a_repository_knows_where_we_are_in_it(void)
{
	struct git_fixture f;
	struct repository repository;

	if (!git_fixture_open(&f, &repository))
		return;
	UNIT_STR_EQ(repository.prefix, "");
	UNIT_STR_EQ(file_basename(repository.top), "repo");
	UNIT_STR_EQ(file_basename(repository.common), ".git");
	CU_ASSERT_FALSE(repository.shallow);
	repository_release(&repository);
	git_fixture_enter(&f, "repo/sub");
	CU_ASSERT_EQUAL_FATAL(repository_open(&repository, &f.err), 0);
	UNIT_STR_EQ(repository.prefix, "sub/");
	git_fixture_close(&f, &repository);
}

static void
a_folder_outside_is_an_error(void)
{
	struct git_fixture f;
	struct repository repository;

	if (!git_fixture_init(&f))
		return;
	git_fixture_enter(&f, "");
	setenv("GIT_DIR", "repo/.git", 1);
	CU_ASSERT_EQUAL(repository_open(&repository, &f.err), -1);
	unsetenv("GIT_DIR");
	UNIT_CONTAINS(f.err.text, "not a git repository");
	UNIT_CONTAINS(f.err.text, "start profile_run in the git repository");
	UNIT_CONTAINS(f.err.text, "GIT_DIR is set; it is ignored");
	git_fixture_release(&f);
}

static void
a_folder_with_a_line_break_is_an_error(void)
{
	struct git_fixture f;
	struct repository repository;

	if (!git_fixture_open(&f, &repository))
		return;
	repository_release(&repository);
	git_fixture_sh(&f, "mkdir \"$(printf 'a\\nb')\"");
	git_fixture_enter(&f, "repo/a\nb");
	CU_ASSERT_EQUAL(repository_open(&repository, &f.err), -1);
	UNIT_CONTAINS(f.err.text, "has a line break in its name: rename it");
	git_fixture_close(&f, &repository);
}

static void
check_default_branch(struct git_fixture *f, const char *script, const char *expected)
{
	git_fixture_sh(f, script);
	char *name = repository_default_branch();

	UNIT_STR_EQ(name ? name : "none", expected);
	free(name);
}

static void
the_default_branch_is_the_remotes(void)
{
	struct git_fixture f;
	struct repository repository;

	if (!git_fixture_open(&f, &repository))
		return;
	check_default_branch(&f, "git branch -M trunk", "none");
	check_default_branch(&f, "git branch master", "master");
	check_default_branch(&f, "git branch main", "main");
	check_default_branch(&f, "git update-ref refs/remotes/origin/master HEAD", "origin/master");
	check_default_branch(&f,
		"git update-ref refs/remotes/origin/next HEAD\n"
		"git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/next",
		"origin/next");
	/* It stands for a branch that is gone. */
	check_default_branch(&f, "git update-ref -d refs/remotes/origin/next", "origin/master");
	git_fixture_close(&f, &repository);
}

static void
without_git_there_is_an_error(void)
{
	struct git_fixture f;
	struct repository repository;

	if (!git_fixture_init(&f))
		return;
	char *path = mem_strdup(getenv("PATH"));

	setenv("PATH", "/nowhere", 1);
	CU_ASSERT_EQUAL(repository_open(&repository, &f.err), -1);
	setenv("PATH", path, 1);
	free(path);
	UNIT_CONTAINS(f.err.text, "cannot run 'git'");
	git_fixture_release(&f);
}

static void
check_resolves(const struct repository *repository, const char *ref, const char *as)
{
	char commit[GIT_COMMIT_SIZE];
	struct err err = {0};
	char *command = mem_printf("git rev-parse '%s^{commit}'", as);
	char *expected = git_fixture_ask(command);

	CU_ASSERT_EQUAL_FATAL(repository_resolve(repository, "--against", ref, commit, &err), 0);
	UNIT_STR_EQ(commit, expected);
	free(expected);
	free(command);
}

static void
what_names_a_commit_is_resolved(void)
{
	struct git_fixture f;
	struct repository repository;

	if (!git_fixture_open(&f, &repository))
		return;
	git_fixture_sh(&f, "git tag -a -m annotated three HEAD~1");
	check_resolves(&repository, "HEAD", "two");
	check_resolves(&repository, "HEAD~1", "one");
	check_resolves(&repository, "main", "two");
	check_resolves(&repository, "three", "one");
	check_resolves(&repository, "refs/tags/one", "one");
	check_resolves(&repository, "HEAD^{/one}", "one");
	git_fixture_close(&f, &repository);
}

static void
check_refused(const struct repository *repository, const char *ref, const char *message)
{
	char commit[GIT_COMMIT_SIZE] = "";
	struct err err = {0};

	CU_ASSERT_EQUAL(repository_resolve(repository, "--against", ref, commit, &err), -1);
	UNIT_STR_EQ(commit, "");
	UNIT_CONTAINS(err.text, message);
}

static void
what_names_none_is_refused(void)
{
	struct git_fixture f;
	struct repository repository;

	if (!git_fixture_open(&f, &repository))
		return;
	check_refused(&repository, "nowhere", "git fetch origin nowhere, and name it FETCH_HEAD");
	check_refused(&repository, "0123456789ab", "git fetch origin HASH, with all 40 digits");
	check_refused(&repository, "deface", "git fetch origin deface, and name it FETCH_HEAD");
	check_refused(&repository, "origin/main", "git fetch origin main:refs/remotes/origin/main");
	check_refused(&repository, "0123456789abcdef0123456789abcdef01234567",
		"git fetch origin 0123456789abcdef0123456789abcdef01234567");
	check_refused(&repository, "HEAD:program.sh", "there is no commit 'HEAD:program.sh'");
	check_refused(&repository, "^HEAD", "there is no commit '^HEAD'");
	check_refused(&repository, "one..two", "there is no commit 'one..two'");
	check_refused(&repository, "main\nHEAD", "there is no commit");
	check_refused(&repository, "$(touch made)", "there is no commit");
	CU_ASSERT_FALSE(file_exists("made"));
	git_fixture_close(&f, &repository);
}

static void
no_name_is_an_option(void)
{
	struct git_fixture f;
	struct repository repository;

	if (!git_fixture_open(&f, &repository))
		return;
	check_refused(&repository, "-x", "'--against -x': expected a commit");
	check_refused(&repository, "--upload-pack=touch made", "expected a commit");
	check_refused(&repository, "--all", "expected a commit");
	check_refused(&repository, "", "expected a commit");
	git_fixture_close(&f, &repository);
}

static void
a_shallow_clone_says_what_to_fetch(void)
{
	struct git_fixture f;
	struct repository repository;

	if (!git_fixture_init(&f))
		return;
	git_fixture_sh(&f, "git clone -q --depth=1 \"file://$PWD\" ../shallow");
	git_fixture_enter(&f, "shallow");
	CU_ASSERT_EQUAL_FATAL(repository_open(&repository, &f.err), 0);
	CU_ASSERT_TRUE(repository.shallow);
	check_refused(&repository, "HEAD~1", "fetch-depth: 0");
	check_refused(&repository, "origin/old",
		"git fetch --depth=1 origin old:refs/remotes/origin/old");
	check_refused(&repository, "0123456789abcdef0123456789abcdef01234567",
		"git fetch --depth=1 origin 0123456789abcdef0123456789abcdef01234567");
	git_fixture_close(&f, &repository);
}

/* What is logged of a comparison with `ref`. */
static void
tell(const struct repository *repository, const char *ref, char text[2048])
{
	char commit[GIT_COMMIT_SIZE];
	struct err err = {0};
	struct stderr_file file;
	struct buf notes = {0};

	CU_ASSERT_EQUAL_FATAL(repository_resolve(repository, "--against", ref, commit, &err), 0);
	log_set_level(LOG_INFO);
	stderr_file_begin(&file);
	repository_note_differences(repository, ref, commit, &notes);
	stderr_file_end(&file, text, 2048);
	CU_ASSERT_EQUAL(notes.len == 0, text[0] == '\0');
	log_set_level(LOG_ERROR);
	snprintf(text, 2048, "%s", buf_text(&notes));
	buf_release(&notes);
}

static void
what_is_compared_is_reported(void)
{
	struct git_fixture f;
	struct repository repository;
	char text[2048];

	if (!git_fixture_open(&f, &repository))
		return;
	tell(&repository, "one", text);
	UNIT_STR_EQ(text, "");
	git_fixture_sh(&f, "echo new >untracked");
	tell(&repository, "two", text);
	UNIT_STR_EQ(text, "");
	git_fixture_sh(&f, "git checkout -q one; echo new >>program.sh");
	tell(&repository, "main", text);
	UNIT_CONTAINS(text, "Commits that are in main but not in HEAD");
	UNIT_CONTAINS(text, "git merge-base HEAD main");
	UNIT_CONTAINS(text, " The working tree has uncommitted changes: it is judged, not HEAD.");
	git_fixture_close(&f, &repository);
}

static const struct unit_case cases[] = {
	{"a_repository_knows_where_we_are_in_it", a_repository_knows_where_we_are_in_it},
	{"a_folder_with_a_line_break_is_an_error", a_folder_with_a_line_break_is_an_error},
	{"the_default_branch_is_the_remote's", the_default_branch_is_the_remotes},
	{"a_folder_outside_is_an_error", a_folder_outside_is_an_error},
	{"without_git_there_is_an_error", without_git_there_is_an_error},
	{"what_names_a_commit_is_resolved", what_names_a_commit_is_resolved},
	{"what_names_none_is_refused", what_names_none_is_refused},
	{"no_name_is_an_option", no_name_is_an_option},
	{"a_shallow_clone_says_what_to_fetch", a_shallow_clone_says_what_to_fetch},
	{"what_is_compared_is_reported", what_is_compared_is_reported},
	{NULL, NULL},
};

void
suite_builds_repository(void)
{
	unit_suite("builds/repository", cases);
}
