#include "builds/worktree.h"

#include "base/mem.h"
#include "builds/toolchain.h"
#include "git_fixture.h"

#include <string.h>
#include <sys/wait.h>

void suite_builds_worktree(void);

/* The repository we stand in, and a worktree of its first commit. */
struct bench {
	struct git_fixture f;
	struct repository repository;
	struct worktree worktree;
	char commit[GIT_COMMIT_SIZE];
};

static void
open_again(struct bench *bench)
{
	CU_ASSERT_EQUAL_FATAL(worktree_open(&bench->worktree, &bench->repository, bench->commit,
				      false, &bench->f.err),
		0);
}

static bool
bench_init(struct bench *bench)
{
	if (!git_fixture_init(&bench->f))
		return false;
	CU_ASSERT_EQUAL_FATAL(repository_open(&bench->repository, &bench->f.err), 0);
	CU_ASSERT_EQUAL_FATAL(repository_resolve(&bench->repository, "--against", "one",
				      bench->commit, &bench->f.err),
		0);
	open_again(bench);
	return true;
}

static void
bench_release(struct bench *bench)
{
	worktree_close(&bench->worktree);
	repository_release(&bench->repository);
	git_fixture_release(&bench->f);
}

/* Runs a script in the worktree. */
static void
change(struct bench *bench, const char *script)
{
	char *all = mem_printf("cd '%s'; %s", bench->worktree.path, script);

	git_fixture_sh(&bench->f, all);
	free(all);
}

/* As the end of a build does. */
static void
note_built(struct bench *bench)
{
	change(bench, "touch built");
	CU_ASSERT_EQUAL(worktree_note_programs(&bench->worktree, &bench->f.err), 0);
}

static bool
has_file(const struct bench *bench, const char *name)
{
	char *path = file_join(bench->worktree.path, name);
	bool there = file_exists(path);

	free(path);
	return there;
}

static void
a_commit_is_checked_out_and_kept(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	CU_ASSERT_TRUE(bench.worktree.whole);
	CU_ASSERT_TRUE(has_file(&bench, "sub/file"));
	UNIT_CONTAINS(bench.worktree.path, "/cache/profile_run/worktrees/");
	UNIT_CONTAINS(bench.worktree.path, "-repo/");
	UNIT_CONTAINS(bench.worktree.path, bench.commit);
	change(&bench, "test \"$(sh program.sh)\" = one");
	note_built(&bench);
	CU_ASSERT_EQUAL(worktree_note_done(&bench.worktree, "this", &bench.f.err), 0);
	worktree_close(&bench.worktree);
	open_again(&bench);
	CU_ASSERT_TRUE(bench.worktree.whole);
	CU_ASSERT_TRUE(has_file(&bench, "built"));
	CU_ASSERT_TRUE(worktree_has_done(&bench.worktree, "this"));
	CU_ASSERT_FALSE(worktree_has_done(&bench.worktree, "that"));
	bench_release(&bench);
}

/* What was built is gone after `script`, and the commit is as it was. */
static void
check_made_anew(const char *script)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	note_built(&bench);
	CU_ASSERT_EQUAL(worktree_note_done(&bench.worktree, "this", &bench.f.err), 0);
	worktree_close(&bench.worktree);
	open_again(&bench);
	CU_ASSERT_TRUE(has_file(&bench, "built"));
	change(&bench, script);
	worktree_close(&bench.worktree);
	open_again(&bench);
	CU_ASSERT_TRUE(bench.worktree.whole);
	CU_ASSERT_FALSE(has_file(&bench, "built"));
	CU_ASSERT_FALSE(worktree_has_done(&bench.worktree, "this"));
	change(&bench, "test \"$(sh program.sh)\" = one; test -e sub/file");
	bench_release(&bench);
}

static void
a_worktree_that_is_not_the_commit_is_made_again(void)
{
	check_made_anew("echo more >>program.sh");
	check_made_anew("rm -r sub");
	check_made_anew("git checkout -q two");
	check_made_anew("rm .git");
	check_made_anew("git worktree lock .; rm ../$(basename $PWD).builds/made");
	check_made_anew("rm -rf \"$(git rev-parse --git-dir)\"");
	check_made_anew("cd ..; rm -rf ./*/");
	check_made_anew("echo cc of another day >../$(basename $PWD).builds/made");
}

static void
other_flags_make_it_anew(void)
{
	struct bench bench;
	const char *old = getenv("CFLAGS");
	char *kept = old ? mem_strdup(old) : NULL;

	if (!bench_init(&bench))
		return;
	change(&bench, "touch built");
	worktree_close(&bench.worktree);
	setenv("CFLAGS", "-O1 -DNOBODY_ELSE", 1);
	open_again(&bench);
	CU_ASSERT_FALSE(has_file(&bench, "built"));
	if (kept)
		setenv("CFLAGS", kept, 1);
	else
		unsetenv("CFLAGS");
	free(kept);
	bench_release(&bench);
}

static void
nothing_of_before_is_used_where_that_is_asked(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	change(&bench, "touch built");
	CU_ASSERT_EQUAL(worktree_note_done(&bench.worktree, "this", &bench.f.err), 0);
	setenv("PROFILE_RUN_NO_CACHE", "1", 1);
	CU_ASSERT_FALSE(worktree_has_done(&bench.worktree, "this"));
	worktree_close(&bench.worktree);
	open_again(&bench);
	CU_ASSERT_FALSE(has_file(&bench, "built"));
	bench_release(&bench);
}

/* Even if it is being changed: by a build of the other one. */
static void
what_another_uses_is_shared(void)
{
	struct bench bench;
	struct worktree other;

	if (!bench_init(&bench))
		return;
	change(&bench, "echo more >>program.sh; touch built");
	CU_ASSERT_EQUAL_FATAL(
		worktree_open(&other, &bench.repository, bench.commit, false, &bench.f.err), 0);
	UNIT_STR_EQ(other.path, bench.worktree.path);
	CU_ASSERT_TRUE(other.whole);
	CU_ASSERT_TRUE(has_file(&bench, "built"));
	worktree_close(&other);
	bench_release(&bench);
}

/* Opens the commit in its own process, builds there if nobody has; 0 if all went well. */
static int
open_in_child(const struct repository *repository, const char *commit)
{
	struct worktree worktree;
	struct err err = {0};

	if (worktree_open(&worktree, repository, commit, false, &err) < 0)
		return 1;
	int lock = worktree_lock_builds(&worktree, &err);

	if (lock < 0)
		return 2;
	if (!worktree_has_done(&worktree, "build")) {
		int fd = open("../builds", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

		if (fd < 0 || write(fd, "x", 1) != 1)
			return 3;
		close(fd);
		if (worktree_note_done(&worktree, "build", &err) < 0)
			return 4;
	}
	close(lock);
	worktree_close(&worktree);
	return 0;
}

static void
of_several_at_once_one_makes_it(void)
{
	struct git_fixture f;
	struct repository repository;
	char commit[GIT_COMMIT_SIZE];
	pid_t children[3];
	struct buf built = {0};

	if (!git_fixture_init(&f))
		return;
	CU_ASSERT_EQUAL_FATAL(repository_open(&repository, &f.err), 0);
	CU_ASSERT_EQUAL_FATAL(
		repository_resolve(&repository, "--against", "one", commit, &f.err), 0);
	fflush(NULL);
	for (size_t i = 0; i < 3; i++) {
		children[i] = fork();
		CU_ASSERT_TRUE_FATAL(children[i] >= 0);
		if (children[i] == 0)
			_exit(open_in_child(&repository, commit));
	}
	for (size_t i = 0; i < 3; i++) {
		int status = -1;

		CU_ASSERT_EQUAL(waitpid(children[i], &status, 0), children[i]);
		CU_ASSERT_EQUAL(status, 0);
	}
	CU_ASSERT_EQUAL(file_read("../builds", &built, 100, &f.err), 0);
	UNIT_STR_EQ(buf_text(&built), "x");
	buf_release(&built);
	repository_release(&repository);
	git_fixture_release(&f);
}

static void
those_not_used_for_long_are_removed(void)
{
	struct bench bench;
	struct worktree others[WORKTREES_KEPT + 1];
	char commits[WORKTREES_KEPT + 1][GIT_COMMIT_SIZE];

	if (!bench_init(&bench))
		return;
	for (size_t i = 0; i <= WORKTREES_KEPT; i++) {
		git_fixture_sh(&bench.f, "git commit -q --allow-empty -m more");
		git_head(NULL, commits[i]);
		CU_ASSERT_EQUAL_FATAL(worktree_open(&others[i], &bench.repository, commits[i],
					      false, &bench.f.err),
			0);
	}
	/* One too many, but all of them are in use. */
	CU_ASSERT_TRUE(has_file(&bench, "program.sh"));
	worktree_close(&bench.worktree);
	for (size_t i = 0; i <= WORKTREES_KEPT; i++)
		worktree_close(&others[i]);
	CU_ASSERT_EQUAL_FATAL(
		worktree_open(&others[0], &bench.repository, commits[0], false, &bench.f.err), 0);
	char *left = git_fixture_ask("git worktree list | wc -l");

	/* The repository's own is one of them. */
	CU_ASSERT_EQUAL(atoi(left), 1 + WORKTREES_KEPT);
	free(left);
	left = git_fixture_ask("ls ../cache/profile_run/worktrees/*/ | grep -c in_use");
	CU_ASSERT_EQUAL(atoi(left), WORKTREES_KEPT);
	free(left);
	worktree_close(&others[0]);
	open_again(&bench);
	CU_ASSERT_TRUE(has_file(&bench, "program.sh"));
	bench_release(&bench);
}

static void
a_folder_that_others_may_write_to_is_refused(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	worktree_close(&bench.worktree);
	git_fixture_sh(&bench.f, "chmod g+w ../cache/profile_run/worktrees/*");
	CU_ASSERT_EQUAL(worktree_open(&bench.worktree, &bench.repository, bench.commit, false,
				&bench.f.err),
		-1);
	UNIT_CONTAINS(bench.f.err.text, "others may write there");
	bench_release(&bench);
}

/* The user's own hook is for what he checks out. */
static void
the_repository_is_left_as_it_is(void)
{
	struct git_fixture f;
	struct repository repository;
	struct worktree worktree;
	char commit[GIT_COMMIT_SIZE];

	if (!git_fixture_init(&f))
		return;
	git_fixture_sh(&f, "mkdir -p .git/hooks\n"
			   "echo \"touch '$PWD/ran'\" >.git/hooks/post-checkout\n"
			   "chmod +x .git/hooks/post-checkout; cp .git/config ../config");
	CU_ASSERT_EQUAL_FATAL(repository_open(&repository, &f.err), 0);
	CU_ASSERT_EQUAL_FATAL(
		repository_resolve(&repository, "--against", "one", commit, &f.err), 0);
	CU_ASSERT_EQUAL_FATAL(worktree_open(&worktree, &repository, commit, false, &f.err), 0);
	CU_ASSERT_FALSE(file_exists("ran"));
	git_fixture_sh(&f, "cmp .git/config ../config; test -z \"$(git status --porcelain)\"\n"
			   "test \"$(git branch --show-current)\" = main");
	worktree_close(&worktree);
	repository_release(&repository);
	git_fixture_release(&f);
}

/* A repository with a submodule in a submodule, and the commit that has them. */
static bool
submodules_init(struct git_fixture *f, struct repository *repository, char commit[GIT_COMMIT_SIZE])
{
	if (!git_fixture_init(f))
		return false;
	git_fixture_sh(f, "git init -q ../inner; git -C ../inner commit -q --allow-empty -m inner\n"
			  "git init -q ../outer; cd ../outer; echo outer >file; git add file\n"
			  "git submodule --quiet add \"$PWD/../inner\" inner\n"
			  "git commit -q -a -m outer; cd ../repo\n"
			  "git submodule --quiet add \"$PWD/../outer\" outer\n"
			  "git commit -q -a -m three");
	CU_ASSERT_EQUAL_FATAL(repository_open(repository, &f->err), 0);
	git_head(NULL, commit);
	return true;
}

static void
submodules_are_checked_out_too(void)
{
	struct bench bench;

	if (!submodules_init(&bench.f, &bench.repository, bench.commit))
		return;
	open_again(&bench);
	CU_ASSERT_TRUE(bench.worktree.whole);
	CU_ASSERT_TRUE(has_file(&bench, "outer/file"));
	CU_ASSERT_TRUE(has_file(&bench, "outer/inner/.git"));
	note_built(&bench);
	worktree_close(&bench.worktree);
	git_fixture_sh(&bench.f, "mv ../outer ../moved");
	/* Kept: nothing is fetched. */
	open_again(&bench);
	CU_ASSERT_TRUE(has_file(&bench, "built"));
	CU_ASSERT_TRUE(has_file(&bench, "outer/file"));
	bench_release(&bench);
}

static void
a_submodule_that_cannot_be_had_is_not_for_ever(void)
{
	struct bench bench;

	if (!submodules_init(&bench.f, &bench.repository, bench.commit))
		return;
	git_fixture_sh(&bench.f, "mv ../outer ../moved");
	open_again(&bench);
	CU_ASSERT_FALSE(bench.worktree.whole);
	CU_ASSERT_EQUAL(worktree_note_done(&bench.worktree, "this", &bench.f.err), 0);
	CU_ASSERT_FALSE(worktree_has_done(&bench.worktree, "this"));
	worktree_close(&bench.worktree);
	git_fixture_sh(&bench.f, "mv ../moved ../outer");
	open_again(&bench);
	CU_ASSERT_TRUE(bench.worktree.whole);
	CU_ASSERT_TRUE(has_file(&bench, "outer/file"));
	CU_ASSERT_FALSE(worktree_has_done(&bench.worktree, "this"));
	bench_release(&bench);
}

/* The candidate does not have them, either. */
static void
submodules_that_are_not_used_here_are_not_there(void)
{
	struct bench bench;

	if (!submodules_init(&bench.f, &bench.repository, bench.commit))
		return;
	git_fixture_sh(&bench.f, "git submodule --quiet deinit -f outer; cp .git/config ../config");
	open_again(&bench);
	CU_ASSERT_TRUE(bench.worktree.whole);
	CU_ASSERT_FALSE(has_file(&bench, "outer/file"));
	git_fixture_sh(&bench.f, "cmp .git/config ../config");
	bench_release(&bench);
}

static void
tokens_and_numbers_of_a_job_do_not_count(void)
{
	static const char *const those[] = {"GITHUB_RUN_ID=17", "GITHUB_TOKEN=x", "BUILD_NUMBER=9",
		"CARGO_REGISTRY_TOKEN=x", "GO_PIPELINE_COUNTER=4",
		"GOOGLE_APPLICATION_CREDENTIALS=x", "CI_JOB_ID=8", "RUNNER_TEMP=/tmp/1",
		"CCACHE_DIR=/x", "PATHS=/x", "_=/bin/true", NULL};

	for (size_t i = 0; those[i]; i++) {
		if (toolchain_variable_counts(those[i]))
			printf("  %s\n", those[i]);
		CU_ASSERT_FALSE(toolchain_variable_counts(those[i]));
	}
}

static void
variables_of_builds_count(void)
{
	static const char *const those[] = {"PATH=/bin", "CC=gcc", "CXX=g++", "CFLAGS=-O2",
		"KBUILD_CFLAGS=x", "CARGO_PROFILE_RELEASE_LTO=true", "RUSTFLAGS=x", "RUSTC=x",
		"GOAMD64=v3", "GO111MODULE=on", "PKG_CONFIG_PATH=x", "LD_LIBRARY_PATH=x",
		"CMAKE_BUILD_TYPE=Debug", "MAKEFLAGS=-j2", "CPATH=/x", NULL};

	for (size_t i = 0; those[i]; i++) {
		if (!toolchain_variable_counts(those[i]))
			printf("  %s\n", those[i]);
		CU_ASSERT_TRUE(toolchain_variable_counts(those[i]));
	}
}

/* Whether the text differs after `script`. */
static bool
differs_after(struct git_fixture *f, const char *script)
{
	struct buf before = {0};
	struct buf after = {0};

	toolchain_describe(&before);
	git_fixture_sh(f, script);
	toolchain_describe(&after);
	bool differs = strcmp(buf_text(&before), buf_text(&after)) != 0;

	buf_release(&before);
	buf_release(&after);
	return differs;
}

/* `cc` is a script here, which comes first in PATH. */
static void
another_compiler_is_seen(void)
{
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	char *first = mem_printf("%s/bin:%s", f.dir, getenv("PATH"));

	git_fixture_sh(&f, "mkdir ../bin; echo 'exec true' >../bin/cc; chmod +x ../bin/cc\n"
			   "printf '#!/bin/sh\\ncat \"$HOME/version\"\\n' >../bin/wrapped\n"
			   "chmod +x ../bin/wrapped; echo 1 >../version");
	setenv("PATH", first, 1);
	CU_ASSERT_FALSE(differs_after(&f, "true"));
	CU_ASSERT_TRUE(differs_after(&f, "echo 'exec false' >../bin/cc"));
	/* The compiler behind a wrapper is known by its version. */
	setenv("CC", "wrapped -m64", 1);
	CU_ASSERT_TRUE(differs_after(&f, "echo 2 >../version"));
	unsetenv("CC");
	CU_ASSERT_FALSE(differs_after(&f, "echo 3 >../version"));
	free(first);
	git_fixture_release(&f);
}

static void
the_job_server_of_make_does_not_count(void)
{
	struct buf before = {0};
	struct buf after = {0};
	struct buf other = {0};

	setenv("MAKEFLAGS", "s -j2 --jobserver-auth=fifo:/tmp/one CFLAGS=-O1", 1);
	setenv("MFLAGS", "-j2 --jobserver-auth=fifo:/tmp/one", 1);
	toolchain_describe(&before);
	setenv("MAKEFLAGS", "s -j4 --jobserver-auth=fifo:/tmp/two CFLAGS=-O1", 1);
	setenv("MFLAGS", "-j4 --jobserver-auth=fifo:/tmp/two", 1);
	toolchain_describe(&after);
	setenv("MAKEFLAGS", "s -j4 --jobserver-auth=fifo:/tmp/two CFLAGS=-O2", 1);
	toolchain_describe(&other);
	unsetenv("MAKEFLAGS");
	unsetenv("MFLAGS");
	UNIT_STR_EQ(buf_text(&before), buf_text(&after));
	CU_ASSERT_NOT_EQUAL(strcmp(buf_text(&after), buf_text(&other)), 0);
	buf_release(&before);
	buf_release(&after);
	buf_release(&other);
}

/* `cc` notes each call. */
static void
compilers_are_asked_again_where_a_variable_changed(void)
{
	struct git_fixture f;
	char hash[4][SHA256_TEXT_SIZE];

	if (!git_fixture_init(&f))
		return;
	char *path = mem_strdup(getenv("PATH"));
	char *first = mem_printf("%s/bin:%s", f.dir, path);

	git_fixture_sh(&f, "mkdir ../bin; printf '#!/bin/sh\\necho called >>\"$HOME/calls\"\\n' "
			   ">../bin/cc; chmod +x ../bin/cc; : >../calls");
	setenv("PATH", first, 1);
	toolchain_hash(hash[0]);
	toolchain_hash(hash[1]);
	git_fixture_sh(&f, "test $(wc -l <../calls) -eq 1");
	setenv("CFLAGS", "-DASKED_AGAIN", 1);
	toolchain_hash(hash[2]);
	unsetenv("CFLAGS");
	git_fixture_sh(&f, "test $(wc -l <../calls) -eq 2");
	toolchain_hash(hash[3]);
	UNIT_STR_EQ(hash[0], hash[1]);
	CU_ASSERT_NOT_EQUAL(strcmp(hash[1], hash[2]), 0);
	UNIT_STR_EQ(hash[1], hash[3]);
	setenv("PATH", path, 1);
	free(first);
	free(path);
	git_fixture_release(&f);
}

static const struct unit_case cases[] = {
	{"a_commit_is_checked_out_and_kept", a_commit_is_checked_out_and_kept},
	{"a_worktree_that_is_not_the_commit_is_made_again",
		a_worktree_that_is_not_the_commit_is_made_again},
	{"other_flags_make_it_anew", other_flags_make_it_anew},
	{"nothing_of_before_is_used_where_that_is_asked",
		nothing_of_before_is_used_where_that_is_asked},
	{"what_another_uses_is_shared", what_another_uses_is_shared},
	{"of_several_at_once_one_makes_it", of_several_at_once_one_makes_it},
	{"those_not_used_for_long_are_removed", those_not_used_for_long_are_removed},
	{"a_folder_that_others_may_write_to_is_refused",
		a_folder_that_others_may_write_to_is_refused},
	{"the_repository_is_left_as_it_is", the_repository_is_left_as_it_is},
	{"submodules_are_checked_out_too", submodules_are_checked_out_too},
	{"a_submodule_that_cannot_be_had_is_not_for_ever",
		a_submodule_that_cannot_be_had_is_not_for_ever},
	{"submodules_that_are_not_used_here_are_not_there",
		submodules_that_are_not_used_here_are_not_there},
	{"tokens_and_numbers_of_a_job_do_not_count", tokens_and_numbers_of_a_job_do_not_count},
	{"variables_of_builds_count", variables_of_builds_count},
	{"another_compiler_is_seen", another_compiler_is_seen},
	{"the_job_server_of_make_does_not_count", the_job_server_of_make_does_not_count},
	{"compilers_are_asked_again_where_a_variable_changed",
		compilers_are_asked_again_where_a_variable_changed},
	{NULL, NULL},
};

void
suite_builds_worktree(void)
{
	unit_suite("builds/worktree", cases);
}
