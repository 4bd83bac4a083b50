/* The builds of commits that are kept, and used again. */
#include "build_bench.h"
#include "stderr_file.h"

void suite_builds_kept_builds(void);

static void
a_commit_is_built_once(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	hold_against(&bench, "one");
	CU_ASSERT_EQUAL(strncmp(bench.side.name, "one (", 5), 0);
	CU_ASSERT_EQUAL(strlen(bench.side.commit), 40);
	build(&bench);
	CU_ASSERT_EQUAL(count_builds(&bench), 1);
	check_program(bench.side.root, "one");
	CU_ASSERT_FALSE(file_exists("program"));
	build(&bench);
	char *commit = mem_strdup(bench.side.commit);

	build_side_release(&bench.side);
	hold_against(&bench, commit);
	CU_ASSERT_EQUAL(strlen(bench.side.name), 12);
	free(commit);
	build(&bench);
	CU_ASSERT_EQUAL(count_builds(&bench), 1);
	/* Another command is another build, and so are other variables. */
	bench.workload.build = "echo x >>\"$HOME/builds\"";
	build(&bench);
	CU_ASSERT_EQUAL(count_builds(&bench), 2);
	bench.env[0] = "LEVEL=2";
	build(&bench);
	CU_ASSERT_EQUAL(count_builds(&bench), 3);
	bench_release(&bench);
}

static void
a_build_without_its_program_is_not_kept(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	bench.workload.build =
		"echo x >>\"$HOME/builds\"; test ! -e \"$HOME/repaired\" || touch program";
	hold_against(&bench, "one");
	build(&bench);
	CU_ASSERT_EQUAL(build_side_check_program(&bench.side, &bench.there, &bench.f.err), -1);
	UNIT_CONTAINS(bench.f.err.text, "there is no program './program' after its build");
	UNIT_CONTAINS(bench.f.err.text, "'--rebuild'");
	git_fixture_sh(&bench.f, "touch \"$HOME/repaired\"");
	build(&bench);
	CU_ASSERT_EQUAL(build_side_check_program(&bench.side, &bench.there, &bench.f.err), 0);
	build(&bench);
	CU_ASSERT_EQUAL(count_builds(&bench), 2);
	bench_release(&bench);
}

/* Each project of a repository has a workload of this name and build. */
static void
builds_of_two_folders_are_two(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	git_fixture_sh(&bench.f, "mkdir a b; echo a >a/in; echo b >b/in; git add .\n"
				 "git commit -q -m projects");
	bench.workload.build = "cp in program; echo x >>\"$HOME/builds\"";
	git_fixture_enter(&bench.f, "repo/a");
	hold_against(&bench, "HEAD");
	build(&bench);
	check_program(bench.side.root, "a");
	build_side_release(&bench.side);
	git_fixture_enter(&bench.f, "repo/b");
	hold_against(&bench, "HEAD");
	build(&bench);
	check_program(bench.side.root, "b");
	CU_ASSERT_EQUAL(count_builds(&bench), 2);
	bench_release(&bench);
}

static void
check_exchanged(const char *script, const char *change)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	bench.workload.build = "echo one >program; chmod +x program; echo x >>\"$HOME/builds\"\n"
			       "echo 1 >data; ln -sf data link";
	hold_against(&bench, "one");
	build(&bench);
	CU_ASSERT_PTR_NULL(bench.side.worktree->changed);
	char *all = mem_printf("cd '%s'; %s", bench.side.root, script);

	struct stderr_file file;
	char text[1024];

	build_side_release(&bench.side);
	git_fixture_sh(&bench.f, all);
	log_set_level(LOG_WARN);
	stderr_file_begin(&file);
	hold_against(&bench, "one");
	stderr_file_end(&file, text, sizeof(text));
	log_set_level(LOG_ERROR);
	UNIT_CONTAINS(text, "the kept build of ");
	UNIT_CONTAINS(text, change);
	UNIT_CONTAINS(bench.side.worktree->changed ? bench.side.worktree->changed : "", change);
	build(&bench);
	check_program(bench.side.root, "one");
	CU_ASSERT_EQUAL(count_builds(&bench), 2);
	free(all);
	bench_release(&bench);
}

/* A run of another pull request may have done so. */
static void
exchanged_programs_are_built_again(void)
{
	check_exchanged("echo two >program", "'program' was changed");
	check_exchanged("rm program", "'program' was removed");
	check_exchanged("chmod -x program", "'program' was changed");
	check_exchanged("mv program other; ln -s other program", "'program' was changed");
	/* With the time and the size of the old one. */
	check_exchanged(
		"touch -r data ../time; echo 2 >data; touch -r ../time data", "'data' was changed");
	check_exchanged("ln -sf program link", "'link' was changed");
	/* What is built again into the worktree would find it up to date. */
	check_exchanged("echo two >program; cd ../$(basename $PWD).builds\n"
			"find . -type f ! -name made ! -name programs -delete",
		"'program' was changed");
	check_exchanged("echo >../$(basename $PWD).builds/programs", "cannot be checked");
	check_exchanged("rm ../$(basename $PWD).builds/programs", "cannot be checked");
}

/* Builds the commit, runs the script in its kept build, and takes that again: it holds. */
static void
change_kept_build(struct bench *bench, const char *script)
{
	hold_against(bench, "one");
	build(bench);
	char *all = mem_printf("cd '%s'; %s", bench->side.root, script);

	build_side_release(&bench->side);
	git_fixture_sh(&bench->f, all);
	free(all);
	hold_against(bench, "one");
	CU_ASSERT_PTR_NULL(bench->side.worktree->changed);
}

static void
added_files_are_removed(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	change_kept_build(
		&bench, "mkdir lib; touch lib/libx.so.1 usercustomize.py; ln -s /bin/true a.out");
	static const char *const added[] = {"lib/libx.so.1", "usercustomize.py", "a.out"};

	for (size_t i = 0; i < sizeof(added) / sizeof(added[0]); i++) {
		char *path = file_join(bench.side.root, added[i]);

		CU_ASSERT_FALSE(file_exists(path));
		free(path);
	}
	bench_release(&bench);
}

/* A run leaves files, and may leave a program that nobody else runs. */
static void
other_files_do_not_matter(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	change_kept_build(&bench,
		"touch log; mkdir __pycache__; touch __pycache__/x.pyc; cp /bin/true a.out");
	build(&bench);
	CU_ASSERT_EQUAL(count_builds(&bench), 1);
	build_side_release(&bench.side);
	CU_ASSERT_EQUAL_FATAL(build_side_against(&bench.side, "one", true, &bench.f.err), 0);
	build(&bench);
	CU_ASSERT_EQUAL(count_builds(&bench), 2);
	bench_release(&bench);
}

/* As of the baseline's commit. */
static void
a_commit_is_built_again_only_where_it_is_asked_for(void)
{
	struct bench bench;
	struct repository repository;

	if (!bench_init(&bench))
		return;
	CU_ASSERT_EQUAL_FATAL(repository_open(&repository, &bench.f.err), 0);
	char *commit = git_fixture_ask("git rev-parse one");

	for (size_t i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL_FATAL(build_side_of_commit(&bench.side, &repository, commit, i == 2,
					      &bench.f.err),
			0);
		build(&bench);
		build_side_release(&bench.side);
		CU_ASSERT_EQUAL(count_builds(&bench), i < 2 ? 1 : 2);
	}
	free(commit);
	repository_release(&repository);
	bench_release(&bench);
}

static void
a_build_that_failed_is_not_remembered(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	bench.workload.build =
		"echo x >>\"$HOME/builds\"; touch program; test -e \"$HOME/repaired\"";
	hold_against(&bench, "one");
	CU_ASSERT_EQUAL(try_build(&bench), -1);
	UNIT_CONTAINS(bench.f.err.text, "'build of work in one (");
	git_fixture_sh(&bench.f, "touch \"$HOME/repaired\"");
	build(&bench);
	build(&bench);
	CU_ASSERT_EQUAL(count_builds(&bench), 2);
	bench_release(&bench);
}

static const struct unit_case cases[] = {
	{"a_commit_is_built_once", a_commit_is_built_once},
	{"a_build_without_its_program_is_not_kept", a_build_without_its_program_is_not_kept},
	{"builds_of_two_folders_are_two", builds_of_two_folders_are_two},
	{"exchanged_programs_are_built_again", exchanged_programs_are_built_again},
	{"added_files_are_removed", added_files_are_removed},
	{"other_files_do_not_matter", other_files_do_not_matter},
	{"a_commit_is_built_again_only_where_it_is_asked_for",
		a_commit_is_built_again_only_where_it_is_asked_for},
	{"a_build_that_failed_is_not_remembered", a_build_that_failed_is_not_remembered},
	{NULL, NULL},
};

void
suite_builds_kept_builds(void)
{
	unit_suite("builds/kept_builds", cases);
}
