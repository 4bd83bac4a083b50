#include "builds/build_side.h"

#include "builds/path_map.h"
#include "builds/worktree.h"
#include "git_fixture.h"

void suite_builds_build_side(void);

/*
 * A workload whose build leaves a program and a mark outside of all builds, and the build it is
 * compared with.
 */
struct bench {
	struct git_fixture f;
	struct build_side side;
	struct arena arena;
	const char *words[4];
	const char *env[2];
	struct workload workload;
	struct workload there;
};

static bool
bench_init(struct bench *bench)
{
	*bench = (struct bench){.words = {"./program", "data/in", NULL}};
	if (!git_fixture_init(&bench->f))
		return false;
	bench->workload.name = "work";
	bench->workload.run = bench->words;
	bench->workload.env = bench->env;
	bench->workload.build = "sh program.sh >program; echo x >>\"$HOME/builds\"";
	bench->arena = (struct arena){0};
	return true;
}

static void
bench_release(struct bench *bench)
{
	build_side_release(&bench->side);
	arena_release(&bench->arena);
	git_fixture_release(&bench->f);
}

static void
hold_against(struct bench *bench, const char *against)
{
	int result = build_side_against(&bench->side, against, false, &bench->f.err);

	if (result < 0)
		printf("  %s\n", bench->f.err.text);
	CU_ASSERT_EQUAL_FATAL(result, 0);
}

/* The workload as it is there. */
static void
bring(struct bench *bench)
{
	CU_ASSERT_EQUAL_FATAL(build_side_workload(&bench->side, &bench->workload, &bench->there,
				      NULL, &bench->arena, &bench->f.err),
		0);
}

/* How often anything was built. */
static size_t
count_builds(struct bench *bench)
{
	char *path = git_fixture_path(&bench->f, "builds");
	struct buf text = {0};
	struct err none = {0};

	(void)file_read(path, &text, 1000, &none);
	size_t count = text.len / 2;

	buf_release(&text);
	free(path);
	return count;
}

static int
try_build(struct bench *bench)
{
	bring(bench);
	return build_side_build(&bench->side, &bench->there, NULL, &bench->f.err);
}

static void
build(struct bench *bench)
{
	CU_ASSERT_EQUAL(try_build(bench), 0);
}

/* What the program that was built in `folder` says. */
static void
check_program(const char *folder, const char *says)
{
	char *command = mem_printf("cat '%s/program'", folder);
	char *said = git_fixture_ask(command);

	UNIT_STR_EQ(said, says);
	free(said);
	free(command);
}

static void
the_working_tree_is_built_each_time(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	build_side_here(&bench.side);
	UNIT_STR_EQ(bench.side.name, "working tree");
	build(&bench);
	build(&bench);
	CU_ASSERT_EQUAL(count_builds(&bench), 2);
	check_program(".", "two");
	bring(&bench);
	CU_ASSERT_PTR_NULL(bench.there.cwd);
	UNIT_STR_EQ(bench.there.run[0], "./program");
	bench_release(&bench);
}

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

/* Where setup makes the program, the build may be kept. */
static void
setup_may_make_the_program(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	bench.workload.build = "echo x >>\"$HOME/builds\"";
	bench.workload.setup = "true";
	hold_against(&bench, "one");
	build(&bench);
	CU_ASSERT_EQUAL(build_side_check_program(&bench.side, &bench.there, &bench.f.err), -1);
	build(&bench);
	char *program = file_join(bench.side.root, "program");

	CU_ASSERT_EQUAL(file_write(program, "x", 1, &bench.f.err), 0);
	free(program);
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

	build_side_release(&bench.side);
	git_fixture_sh(&bench.f, all);
	hold_against(&bench, "one");
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

static void
added_files_are_removed(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	hold_against(&bench, "one");
	build(&bench);
	char *all = mem_printf("cd '%s'; mkdir lib; touch lib/libx.so.1 usercustomize.py\n"
			       "ln -s /bin/true a.out",
		bench.side.root);

	build_side_release(&bench.side);
	git_fixture_sh(&bench.f, all);
	free(all);
	hold_against(&bench, "one");
	CU_ASSERT_PTR_NULL(bench.side.worktree->changed);
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
	hold_against(&bench, "one");
	build(&bench);
	char *all = mem_printf("cd '%s'; touch log; mkdir __pycache__; touch __pycache__/x.pyc\n"
			       "cp /bin/true a.out",
		bench.side.root);

	build_side_release(&bench.side);
	git_fixture_sh(&bench.f, all);
	free(all);
	hold_against(&bench, "one");
	CU_ASSERT_PTR_NULL(bench.side.worktree->changed);
	build(&bench);
	CU_ASSERT_EQUAL(count_builds(&bench), 1);
	build_side_release(&bench.side);
	CU_ASSERT_EQUAL_FATAL(build_side_against(&bench.side, "one", true, &bench.f.err), 0);
	build(&bench);
	CU_ASSERT_EQUAL(count_builds(&bench), 2);
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

/* A hook's GIT_DIR would have `git describe` tell of the candidate. */
static void
a_build_asks_the_repository_it_is_in(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	bench.workload.build = "git describe --tags >program";
	setenv("GIT_DIR", "/nowhere", 1);
	hold_against(&bench, "one");
	build(&bench);
	unsetenv("GIT_DIR");
	check_program(bench.side.root, "one");
	bench_release(&bench);
}

static void
a_subfolder_stays_one(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	bench.workload.build = "cp file program";
	git_fixture_enter(&bench.f, "repo/sub");
	hold_against(&bench, "HEAD~1");
	UNIT_CONTAINS(bench.side.root, "/sub");
	build(&bench);
	check_program(bench.side.root, "in it");
	bring(&bench);
	UNIT_STR_EQ(bench.there.cwd, bench.side.root);
	bench_release(&bench);
}

static void
workloads_of_a_new_folder_are_new(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	git_fixture_sh(&bench.f, "mkdir new; echo x >new/work.yaml; git add new");
	git_fixture_enter(&bench.f, "repo/new");
	hold_against(&bench, "one");
	bench.workload.path = "work.yaml";
	bench.workload.file_name = "work";
	CU_ASSERT_TRUE(build_side_lacks_workload(&bench.side, &bench.workload));
	bench_release(&bench);
}

static void
paths_of_a_workload_start_from_its_build(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	hold_against(&bench, "one");
	char *expected = file_join(bench.side.root, "data");
	char *here = realpath("sub/file", NULL);
	char *there = file_join(bench.side.root, "sub/file");

	bench.workload.cwd = "data";
	bench.workload.stdin_path = "in";
	bench.words[2] = here;
	bring(&bench);
	UNIT_STR_EQ(bench.there.cwd, expected);
	/* Read where the program runs. */
	UNIT_STR_EQ(bench.there.stdin_path, "in");
	UNIT_STR_EQ(bench.there.run[0], "./program");
	UNIT_STR_EQ(bench.there.run[1], "data/in");
	UNIT_STR_EQ(bench.there.run[2], there);
	CU_ASSERT_PTR_NULL(bench.there.run[3]);
	bench.workload.cwd = "/usr";
	bench.workload.stdin_path = here;
	bring(&bench);
	UNIT_STR_EQ(bench.there.cwd, "/usr");
	UNIT_STR_EQ(bench.there.stdin_path, there);
	free(expected);
	free(here);
	free(there);
	bench_release(&bench);
}

static void
a_folder_is_taken_as_it_is(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	git_fixture_sh(&bench.f, "git clone -q . ../base; git -C ../base checkout -q one");
	hold_against(&bench, "../base");
	char *expected = git_fixture_ask("git rev-parse one");

	UNIT_STR_EQ(bench.side.name, "../base");
	UNIT_STR_EQ(bench.side.commit, expected);
	free(expected);
	CU_ASSERT_FALSE(bench.side.builds);
	build(&bench);
	CU_ASSERT_EQUAL(count_builds(&bench), 0);
	bring(&bench);
	UNIT_STR_EQ(bench.there.cwd, bench.side.root);
	bench_release(&bench);
}

/* It is in a repository, but that has nothing of it. */
static void
a_folder_of_its_own_has_no_commit(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	git_fixture_sh(&bench.f, "mkdir base");
	hold_against(&bench, "base");
	UNIT_STR_EQ(bench.side.commit, "");
	bench_release(&bench);
}

static void
a_map_names_programs_elsewhere(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	git_fixture_sh(&bench.f, "echo './program: ../base/program' >map.yaml");
	hold_against(&bench, "map.yaml");
	CU_ASSERT_FALSE(bench.side.builds);
	CU_ASSERT_PTR_NULL(bench.side.root);
	bench.workload.cwd = "sub";
	bring(&bench);
	UNIT_STR_EQ(bench.there.cwd, "sub");
	UNIT_STR_EQ(bench.there.run[0], "../base/program");
	UNIT_STR_EQ(bench.there.run[1], "data/in");
	bench.words[0] = "./other";
	CU_ASSERT_EQUAL(build_side_workload(&bench.side, &bench.workload, &bench.there, NULL,
				&bench.arena, &bench.f.err),
		-1);
	UNIT_CONTAINS(bench.f.err.text, "'map.yaml' names no word of work's command");
	UNIT_CONTAINS(bench.f.err.text, "'./other'");
	bench_release(&bench);
}

static void
sources_are_named_as_here(void)
{
	struct bench bench;
	struct profile profile;

	if (!bench_init(&bench))
		return;
	git_fixture_sh(&bench.f, "mkdir ../base");
	hold_against(&bench, "../base");
	char *here = realpath(".", NULL);
	const char *const files[] = {"/usr/include/x.h", "src/x.c"};
	char *there = mem_printf("%s/src/x.c", bench.side.root);
	char *wanted = mem_printf("%s/src/x.c", here);

	profile_init(&profile);
	for (int i = 0; i < 3; i++) {
		frame_id id = profile_frame(&profile, &"abc"[i], 1, FRAME_USER);

		profile.frames.frames[id].file =
			strtab_intern_str(&profile.strings, i < 2 ? files[i] : there);
	}
	build_side_name_sources(&bench.side, &profile);
	UNIT_STR_EQ(strtab_str(&profile.strings, profile.frames.frames[1].file), files[0]);
	UNIT_STR_EQ(strtab_str(&profile.strings, profile.frames.frames[2].file), files[1]);
	UNIT_STR_EQ(strtab_str(&profile.strings, profile.frames.frames[3].file), wanted);
	profile_release(&profile);
	free(wanted);
	free(there);
	free(here);
	bench_release(&bench);
}

static void
check_refused(struct bench *bench, const char *against, const char *message)
{
	bench->f.err = (struct err){0};
	CU_ASSERT_EQUAL(build_side_against(&bench->side, against, false, &bench->f.err), -1);
	UNIT_CONTAINS(bench->f.err.text, message);
	CU_ASSERT_PTR_NULL(bench->side.name);
}

static void
what_is_neither_is_refused(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	check_refused(&bench, "--upload-pack=x", "expected a commit, a folder or a YAML file");
	check_refused(&bench, "nowhere", "there is no commit 'nowhere'");
	check_refused(&bench, "map.yaml", "'map.yaml' is not there, either");
	check_refused(&bench, "program.sh", "'program.sh' is a file, but only .yaml");
	git_fixture_sh(&bench.f, "echo 'a: [' >map.yaml");
	check_refused(&bench, "map.yaml", "map.yaml:2:");
	bench_release(&bench);
}

static const struct unit_case cases[] = {
	{"the_working_tree_is_built_each_time", the_working_tree_is_built_each_time},
	{"a_commit_is_built_once", a_commit_is_built_once},
	{"a_build_that_failed_is_not_remembered", a_build_that_failed_is_not_remembered},
	{"a_build_without_its_program_is_not_kept", a_build_without_its_program_is_not_kept},
	{"setup_may_make_the_program", setup_may_make_the_program},
	{"builds_of_two_folders_are_two", builds_of_two_folders_are_two},
	{"exchanged_programs_are_built_again", exchanged_programs_are_built_again},
	{"added_files_are_removed", added_files_are_removed},
	{"other_files_do_not_matter", other_files_do_not_matter},
	{"a_build_asks_the_repository_it_is_in", a_build_asks_the_repository_it_is_in},
	{"a_subfolder_stays_one", a_subfolder_stays_one},
	{"workloads_of_a_new_folder_are_new", workloads_of_a_new_folder_are_new},
	{"paths_of_a_workload_start_from_its_build", paths_of_a_workload_start_from_its_build},
	{"a_folder_is_taken_as_it_is", a_folder_is_taken_as_it_is},
	{"a_folder_of_its_own_has_no_commit", a_folder_of_its_own_has_no_commit},
	{"a_map_names_programs_elsewhere", a_map_names_programs_elsewhere},
	{"sources_are_named_as_here", sources_are_named_as_here},
	{"what_is_neither_is_refused", what_is_neither_is_refused},
	{NULL, NULL},
};

void
suite_builds_build_side(void)
{
	unit_suite("builds/build_side", cases);
}
