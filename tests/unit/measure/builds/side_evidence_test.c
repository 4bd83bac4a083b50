/* How a run came to use a file of the other build, and by what a file is known as a build's. */
#include "builds/build_product.h"

#include "side_bench.h"

void suite_builds_side_evidence(void);

/* The error of the base's use of `name`, which `there/bench` made, tells of it by `way`. */
static void
expect_way(struct bench *bench, const char *name, const char *way)
{
	run_files_release(&bench->other);
	use(bench, &bench->other, "there/bench", NULL, RUN_FILE_EXECUTED);
	use(bench, &bench->other, name, NULL, RUN_FILE_MAPPED);
	CU_ASSERT_EQUAL(check(bench), -1);
	UNIT_CONTAINS(bench->err.text, way);
	UNIT_CONTAINS(bench->err.text, "/there/bench'");
}

static void
lists_of_the_dynamic_linker_are_told(void)
{
	struct bench bench;

	if (system("cc --version >/dev/null 2>&1") != 0) {
		unit_skip("there is no cc");
		return;
	}
	bench_init(&bench);
	mkdir(path_of(&bench, "here/lib"), 0755);
	put(&bench, "here/lib/plugin.so", "loaded by its name");
	put(&bench, "here/ld.so", "the dynamic linker");
	char *command = mem_printf(
		"cd '%s' && cc -nostdlib -shared -o here/needed.so -x c /dev/null && "
		"cc -nostdlib -o there/bench -x c /dev/null -x none -Wl,-e,0,--no-as-needed "
		"\"$PWD/here/needed.so\" \"-Wl,-rpath,/usr:$PWD/here/lib,-I,$PWD/here/ld.so\"",
		bench.scratch.dir);

	CU_ASSERT_EQUAL_FATAL(system(command), 0);
	expect_way(&bench, "here/lib/plugin.so", "by the rpath of '");
	expect_way(&bench, "here/needed.so", "by the list of libraries (DT_NEEDED) of '");
	expect_way(&bench, "here/ld.so", "by the program interpreter (PT_INTERP) of '");
	expect_way(&bench, "here/text", "by the path '");
	free(command);
	bench_release(&bench);
}

/* A folder of a cache, and text, are not evidence by themselves. */
static void
the_command_folder_and_program_of_a_build_are_evidence(void)
{
	struct bench bench;

	bench_init(&bench);
	mkdir(path_of(&bench, "out/cache"), 0755);
	mkdir(path_of(&bench, "out/cache/deep"), 0755);
	const char *dir = bench.scratch.dir;
	const char *const none[] = {"make",
		arena_printf(&bench.arena, "make O=%s/out/cache/other", dir),
		arena_printf(&bench.arena, "make O=%s/out/cach", dir)};
	const char *const naming[] = {arena_printf(&bench.arena, "make O=%s/out/cache", dir),
		arena_printf(&bench.arena, "make 'O=%s/out/cache//'", dir),
		arena_printf(&bench.arena, "D=%s/out/cache/b; make O=%s/out/cache; true", dir, dir),
		arena_printf(&bench.arena, "cp x %s/out/cache/deep/mod.py", dir)};

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		bench.workload.build = none[i];
		expect_installed(&bench, "out/cache/deep/mod.py", RUN_FILE_READ, NULL);
		expect_installed(&bench, "out/cache/deep/tool", RUN_FILE_EXECUTED, NULL);
	}
	for (size_t i = 0; i < sizeof(naming) / sizeof(naming[0]); i++) {
		bench.workload.build = naming[i];
		expect_installed(
			&bench, "out/cache/deep/mod.py", RUN_FILE_READ, "`build` names its folder");
		/* Data is no program, wherever it is. */
		expect_installed(&bench, "out/cache/deep/data.txt", RUN_FILE_READ, NULL);
		expect_installed(&bench, "out/cache/deep/data", RUN_FILE_READ, NULL);
	}
	bench.workload.build = "make";
	bench.words[0] = path_of(&bench, "out/cache/deep/tool");
	chmod(bench.words[0], 0755);
	expect_installed(&bench, "out/cache/deep/tool", RUN_FILE_EXECUTED, "`run` names it");
	expect_installed(&bench, "out/cache/deep/other", RUN_FILE_EXECUTED, NULL);
	bench.workload.build = NULL;
	expect_installed(&bench, "out/cache/deep/tool", RUN_FILE_EXECUTED, NULL);
	put(&bench, "out/cache/build.ninja", "");
	expect_installed(&bench, "out/cache/deep/mod.py", RUN_FILE_READ, NULL);
	expect_installed(
		&bench, "out/cache/deep/tool", RUN_FILE_EXECUTED, "it is in the folder of a build");
	bench_release(&bench);
}

/* A map of programs: both builds run in one folder. */
static void
a_base_may_not_use_the_program_that_its_map_replaces(void)
{
	struct bench bench;
	const char *words[] = {"./bench", NULL};
	struct workload there;

	bench_init(&bench);
	tree_text_free(bench.base.texts);
	bench.base.texts = NULL;
	bench.words[0] = put(&bench, "here/bench", "new");
	chmod(bench.words[0], 0755);
	words[0] = put(&bench, "out/bench", "old");
	there = bench.workload;
	there.run = words;
	const struct side_runs runs = {.base = &bench.base,
		.here = &bench.workload,
		.there = &there,
		.other = &bench.other};

	use(&bench, &bench.other, "out/bench", NULL, RUN_FILE_EXECUTED);
	use(&bench, &bench.other, "here/data", NULL, RUN_FILE_READ);
	CU_ASSERT_EQUAL(side_files_check(&runs, &bench.err), 0);
	run_files_release(&bench.other);
	use(&bench, &bench.other, "here/bench", NULL, RUN_FILE_WRITTEN);
	CU_ASSERT_EQUAL(side_files_check(&runs, &bench.err), 0);
	run_files_release(&bench.other);
	use(&bench, &bench.other, "here/bench", NULL, RUN_FILE_READ);
	CU_ASSERT_EQUAL(side_files_check(&runs, &bench.err), -1);
	UNIT_CONTAINS(bench.err.text, "the base main reads '");
	UNIT_CONTAINS(bench.err.text, "/here/bench', which is the candidate's");
	UNIT_CONTAINS(bench.err.text, "it replaces '");
	/* A program that is not replaced is both builds'. */
	words[0] = bench.words[0];
	bench.err = (struct err){0};
	CU_ASSERT_EQUAL(side_files_check(&runs, &bench.err), 0);
	bench_release(&bench);
}

/* By a path that itself was a link, or a variable that the run sets otherwise. */
static void
a_variable_is_told_if_the_run_has_it(void)
{
	const char *env[] = {"PLUGINS=/nowhere", NULL};
	struct bench bench;

	bench_init(&bench);
	use(&bench, &bench.other, "here/lib.so", NULL, RUN_FILE_MAPPED);
	setenv("PLUGINS", path_of(&bench, "here"), 1);
	bench.workload.env = env;
	CU_ASSERT_EQUAL(check(&bench), -1);
	CU_ASSERT_PTR_NULL(strstr(bench.err.text, "PLUGINS"));
	env[0] = "PLUGINS";
	CU_ASSERT_EQUAL(check(&bench), -1);
	CU_ASSERT_PTR_NULL(strstr(bench.err.text, "PLUGINS"));
	env[0] = "PLUGINS_TOO=1";
	CU_ASSERT_EQUAL(check(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "by the variable PLUGINS");
	unsetenv("PLUGINS");
	bench_release(&bench);
}

/* Code before data, as it is the more likely to be what is compared. */
static void
the_most_serious_use_is_named(void)
{
	struct bench bench;

	bench_init(&bench);
	use(&bench, &bench.other, "here/lib.so", NULL, RUN_FILE_MAPPED);
	use(&bench, &bench.other, "here/tool", NULL, RUN_FILE_EXECUTED);
	use(&bench, &bench.other, "here/data", NULL, RUN_FILE_READ);
	CU_ASSERT_EQUAL(check(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "executes a file of the working tree");
	UNIT_CONTAINS(bench.err.text, "/here/tool'");
	UNIT_CONTAINS(bench.err.text, "and 2 more files");
	bench_release(&bench);
}

static void
folders_of_administrators_and_users_are_not_of_packages(void)
{
	CU_ASSERT_TRUE(build_product_is_packaged("/usr/lib/libc.so.6"));
	CU_ASSERT_FALSE(build_product_is_packaged("/usr/local/lib/libc.so.6"));
	CU_ASSERT_FALSE(build_product_is_packaged("/opt/tool/bin/tool"));
	CU_ASSERT_FALSE(build_product_is_packaged("/usr/lib/.cache/x.so"));
	CU_ASSERT_FALSE(build_product_is_packaged("/tmp/x.so"));
}

static const struct unit_case cases[] = {
	{"folders_of_administrators_and_users_are_not_of_packages",
		folders_of_administrators_and_users_are_not_of_packages},
	{"lists_of_the_dynamic_linker_are_told", lists_of_the_dynamic_linker_are_told},
	{"the_command_folder_and_program_of_a_build_are_evidence",
		the_command_folder_and_program_of_a_build_are_evidence},
	{"a_base_may_not_use_the_program_that_its_map_replaces",
		a_base_may_not_use_the_program_that_its_map_replaces},
	{"a_variable_is_told_if_the_run_has_it", a_variable_is_told_if_the_run_has_it},
	{"the_most_serious_use_is_named", the_most_serious_use_is_named},
	{NULL, NULL},
};

void
suite_builds_side_evidence(void)
{
	unit_suite("builds/side_evidence", cases);
}
