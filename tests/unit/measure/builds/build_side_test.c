#include "build_bench.h"
#include "builds/new_workload.h"
#include "builds/path_map.h"

void suite_builds_build_side(void);

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

/* Of a baseline, say, whose commit lacks the folder that profile_run is called in. */
static void
a_commit_that_lacks_the_folder_is_an_error(void)
{
	struct bench bench;
	struct repository repository;
	char commit[GIT_COMMIT_SIZE];

	if (!bench_init(&bench))
		return;
	git_fixture_sh(&bench.f, "mkdir new; echo x >new/work.yaml; git add new");
	git_fixture_enter(&bench.f, "repo/new");
	CU_ASSERT_EQUAL_FATAL(repository_open(&repository, &bench.f.err), 0);
	CU_ASSERT_EQUAL_FATAL(
		repository_resolve(&repository, "--against", "one", commit, &bench.f.err), 0);
	CU_ASSERT_EQUAL(
		build_side_of_commit(&bench.side, &repository, commit, false, &bench.f.err), -1);
	commit[12] = '\0';
	UNIT_CONTAINS(bench.f.err.text, "there is no folder 'new/' in '");
	UNIT_CONTAINS(bench.f.err.text, commit);
	repository_release(&repository);
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

/* A word of a service's `there`, which has to be the path of `name` in its build. */
static void
check_there(const struct bench *bench, const char *word, const char *name)
{
	char *there = file_join(bench->side.root, name);

	UNIT_STR_EQ(word, there);
	free(there);
}

static void
all_parts_of_a_service_run_in_its_build(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	git_fixture_sh(&bench.f, "mkdir -p ../base/sub; touch ../base/sub/file");
	char *here = realpath("sub/file", NULL);
	const char *const words[] = {"wait", here, NULL};
	const struct service_ready ready = {.kind = READY_COMMAND, .argv = words};
	const struct service_server needs[] = {
		{.argv = words, .ready = {.kind = READY_UNIX, .text = here}, .stop = 2},
		{.argv = words, .ready = {.kind = READY_LOG, .text = here}, .stop = 3}};
	struct service service = {.needs = needs,
		.nneeds = 2,
		.own = {.argv = words, .ready = ready, .timeout_s = 7},
		.driver = words};

	bench.workload.service = &service;
	bench.workload.run = words;
	bench.workload.stdout_path = here;
	hold_against(&bench, "../base");
	bring(&bench);
	const struct service *there = bench.there.service;

	UNIT_NEED(there);
	check_there(&bench, bench.there.stdout_path, "sub/file");
	UNIT_STR_EQ(there->cwd, bench.side.root);
	CU_ASSERT_PTR_EQUAL(there->env, bench.there.env);
	check_there(&bench, there->own.argv[1], "sub/file");
	check_there(&bench, there->own.ready.argv[1], "sub/file");
	CU_ASSERT_EQUAL(there->own.timeout_s, 7);
	UNIT_STR_EQ(there->driver[0], "wait");
	check_there(&bench, there->driver[1], "sub/file");
	CU_ASSERT_PTR_NULL(there->driver[2]);
	CU_ASSERT_EQUAL(there->nneeds, 2);
	check_there(&bench, there->needs[0].argv[1], "sub/file");
	check_there(&bench, there->needs[0].ready.text, "sub/file");
	CU_ASSERT_EQUAL(there->needs[0].stop, 2);
	check_there(&bench, there->needs[1].argv[1], "sub/file");
	/* Text that its output has is no path. */
	UNIT_STR_EQ(there->needs[1].ready.text, here);
	free(here);
	bench_release(&bench);
}

static void
a_service_of_a_map_keeps_its_commands(void)
{
	static const char *const driver[] = {"drive", NULL};
	struct service service = {.driver = driver};
	struct bench bench;

	if (!bench_init(&bench))
		return;
	git_fixture_sh(&bench.f, "echo './program: ../base/program' >map.yaml");
	service.own.argv = bench.words;
	bench.workload.service = &service;
	bench.workload.cwd = "sub";
	hold_against(&bench, "map.yaml");
	bring(&bench);
	UNIT_NEED(bench.there.service);
	UNIT_STR_EQ(bench.there.service->cwd, "sub");
	CU_ASSERT_PTR_EQUAL(bench.there.service->driver, driver);
	bench_release(&bench);
}

/* In the environment of the workload, and of the shell that profile_run was started from. */
static void
variables_that_hold_a_path_are_of_the_build(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	git_fixture_sh(&bench.f, "mkdir ../base");
	char *here = realpath(".", NULL);
	char *entry = mem_printf("DATA=%s/data", here);
	char *own = mem_printf("%s/own", here);

	bench.env[0] = entry;
	setenv("DATA", own, 1);
	setenv("OWN", own, 1);
	setenv("DAT", own, 1);
	setenv("OLDPWD", own, 1);
	hold_against(&bench, "../base");
	bring(&bench);
	char *wanted[] = {mem_printf("OWN=%s/own", bench.side.root),
		mem_printf("DATA=%s/data", bench.side.root), mem_strdup("OLDPWD"),
		mem_printf("DAT=%s/own", bench.side.root)};
	size_t found[] = {0, 0, 0, 0};
	size_t count = 0;

	UNIT_NEED(bench.there.env);
	for (; bench.there.env[count]; count++) {
		for (size_t i = 0; i < 4; i++)
			found[i] += strcmp(bench.there.env[count], wanted[i]) == 0;
		CU_ASSERT_PTR_NULL(strstr(bench.there.env[count], own));
	}
	/* Its own additions come last. */
	UNIT_STR_EQ(bench.there.env[count - 1], wanted[1]);
	for (size_t i = 0; i < 4; i++) {
		CU_ASSERT_EQUAL(found[i], 1);
		free(wanted[i]);
	}
	unsetenv("DATA");
	unsetenv("OWN");
	unsetenv("DAT");
	unsetenv("OLDPWD");
	free(own);
	free(entry);
	free(here);
	bench_release(&bench);
}

static const struct unit_case cases[] = {
	{"the_working_tree_is_built_each_time", the_working_tree_is_built_each_time},
	{"setup_may_make_the_program", setup_may_make_the_program},
	{"a_build_asks_the_repository_it_is_in", a_build_asks_the_repository_it_is_in},
	{"a_subfolder_stays_one", a_subfolder_stays_one},
	{"workloads_of_a_new_folder_are_new", workloads_of_a_new_folder_are_new},
	{"a_commit_that_lacks_the_folder_is_an_error", a_commit_that_lacks_the_folder_is_an_error},
	{"paths_of_a_workload_start_from_its_build", paths_of_a_workload_start_from_its_build},
	{"a_folder_is_taken_as_it_is", a_folder_is_taken_as_it_is},
	{"a_folder_of_its_own_has_no_commit", a_folder_of_its_own_has_no_commit},
	{"a_map_names_programs_elsewhere", a_map_names_programs_elsewhere},
	{"sources_are_named_as_here", sources_are_named_as_here},
	{"what_is_neither_is_refused", what_is_neither_is_refused},
	{"all_parts_of_a_service_run_in_its_build", all_parts_of_a_service_run_in_its_build},
	{"a_service_of_a_map_keeps_its_commands", a_service_of_a_map_keeps_its_commands},
	{"variables_that_hold_a_path_are_of_the_build",
		variables_that_hold_a_path_are_of_the_build},
	{NULL, NULL},
};

void
suite_builds_build_side(void)
{
	unit_suite("builds/build_side", cases);
}
