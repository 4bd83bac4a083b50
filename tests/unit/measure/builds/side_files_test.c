#include "builds/build_side.h"

#include "base/mem.h"
#include "builds/inputs.h"
#include "side_bench.h"
#include "unit.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void suite_builds_side_files(void);

static void
each_side_may_use_its_own_files(void)
{
	struct bench bench;

	bench_init(&bench);
	use(&bench, &bench.candidate, "here/bench", NULL, RUN_FILE_EXECUTED);
	use(&bench, &bench.other, "there/bench", NULL, RUN_FILE_EXECUTED);
	use(&bench, &bench.candidate, "/bin/sh", NULL, RUN_FILE_EXECUTED);
	use(&bench, &bench.other, "/bin/sh", NULL, RUN_FILE_EXECUTED);
	/* git's own files belong to all worktrees; a log is no input. */
	use(&bench, &bench.other, "here/.git/HEAD", NULL, RUN_FILE_READ);
	use(&bench, &bench.other, "here/log", NULL, RUN_FILE_WRITTEN);
	/* Data outside of both. */
	use(&bench, &bench.candidate, "out/data", NULL, RUN_FILE_READ);
	use(&bench, &bench.other, "out/data", NULL, RUN_FILE_READ);
	CU_ASSERT_EQUAL(check(&bench), 0);
	bench_release(&bench);
}

static void
a_file_of_the_working_tree_is_named(void)
{
	struct bench bench;

	bench_init(&bench);
	use(&bench, &bench.other, "there/bench", NULL, RUN_FILE_EXECUTED);
	use(&bench, &bench.other, "here/data", NULL, RUN_FILE_READ);
	CU_ASSERT_EQUAL(check(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "the base main reads a file of the working tree");
	/* What it executes is worse. */
	use(&bench, &bench.other, "here/lib.so", NULL, RUN_FILE_MAPPED | RUN_FILE_READ);
	CU_ASSERT_EQUAL(check(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "loads a file of the working tree");
	UNIT_CONTAINS(bench.err.text, path_of(&bench, "here/lib.so"));
	UNIT_CONTAINS(bench.err.text, "and 1 more file");
	bench_release(&bench);
}

static void
the_candidate_may_not_use_the_base(void)
{
	struct bench bench;

	bench_init(&bench);
	use(&bench, &bench.candidate, "there/lib.so", NULL, RUN_FILE_MAPPED);
	CU_ASSERT_EQUAL(check(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "the candidate loads a file of the base main");
	bench_release(&bench);
}

/* A base in a cache folder of the working tree is not the working tree's. */
static void
a_base_below_the_working_tree_is_its_own(void)
{
	struct bench bench;

	bench_init(&bench);
	mkdir(path_of(&bench, "here/cache"), 0755);
	tree_text_free(bench.base.texts);
	bench.base.texts = tree_text_new(path_of(&bench, "here"), path_of(&bench, "here/cache"));
	use(&bench, &bench.other, "here/cache/bench", NULL, RUN_FILE_EXECUTED);
	use(&bench, &bench.candidate, "here/bench", NULL, RUN_FILE_EXECUTED);
	CU_ASSERT_EQUAL(check(&bench), 0);
	use(&bench, &bench.other, "here/bench", NULL, RUN_FILE_EXECUTED);
	CU_ASSERT_EQUAL(check(&bench), -1);
	bench_release(&bench);
}

static void
how_it_got_there_is_told(void)
{
	struct bench bench;

	bench_init(&bench);
	use(&bench, &bench.other, "here/bench", "there/link", RUN_FILE_EXECUTED);
	CU_ASSERT_EQUAL(symlink(path_of(&bench, "here/bench"), path_of(&bench, "there/link")), 0);
	CU_ASSERT_EQUAL(check(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "through the symbolic link '");
	run_files_release(&bench.other);
	use(&bench, &bench.other, "here/lib.so", NULL, RUN_FILE_MAPPED);
	put(&bench, "there/config",
		arena_printf(&bench.arena, "plugin=%s\n", path_of(&bench, "here/lib.so")));
	use(&bench, &bench.other, "there/config", NULL, RUN_FILE_READ);
	CU_ASSERT_EQUAL(check(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "in '");
	UNIT_CONTAINS(bench.err.text, "/there/config'");
	setenv("PLUGINS", path_of(&bench, "here"), 1);
	CU_ASSERT_EQUAL(check(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "by the variable PLUGINS");
	unsetenv("PLUGINS");
	run_files_release(&bench.other);
	const char *script = put(&bench, "there/script",
		arena_printf(&bench.arena, "#!%s\n", path_of(&bench, "here/interp")));

	put(&bench, "here/interp", "");
	run_files_add(&bench.other, &(struct run_file){.path = path_of(&bench, "here/interp"),
					    .name = path_of(&bench, "here/interp"),
					    .by = script,
					    .uses = RUN_FILE_EXECUTED});
	CU_ASSERT_EQUAL(check(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "by the first line of the script '");
	bench_release(&bench);
}

/* Code in a folder for temporary files is a build's; so is a script that a build just wrote. */
static void
what_a_build_made_is_not_shared(void)
{
	struct bench bench;

	bench_init(&bench);
	use(&bench, &bench.candidate, "out/lib.so", NULL, RUN_FILE_MAPPED);
	use(&bench, &bench.other, "out/lib.so", NULL, RUN_FILE_MAPPED);
	CU_ASSERT_EQUAL(check(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "both builds use one file");
	UNIT_CONTAINS(bench.err.text, "it is in a folder for temporary files");
	run_files_release(&bench.candidate);
	run_files_release(&bench.other);
	use(&bench, &bench.candidate, "out/mod.py", NULL, RUN_FILE_READ);
	use(&bench, &bench.other, "out/mod.py", NULL, RUN_FILE_READ);
	CU_ASSERT_EQUAL(check(&bench), 0);
	build_times_begin(&bench.times, BUILD_STEP_BUILD);
	put(&bench, "out/mod.py", "1");
	build_times_end(&bench.times);
	CU_ASSERT_EQUAL(check(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "a build of this gate made it");
	bench_release(&bench);
}

/* Times of files are by a clock that stands still for up to 10 ms. */
#define CLOCK_TICK_US 20000

/* Someone keeps a library by a hard link while a build runs, as backups and profilers do. */
static void
what_was_linked_was_not_made(void)
{
	struct bench bench;

	bench_init(&bench);
	use(&bench, &bench.candidate, "out/mod.py", NULL, RUN_FILE_READ);
	use(&bench, &bench.other, "out/mod.py", NULL, RUN_FILE_READ);
	put(&bench, "out/mod.py", "1");
	usleep(CLOCK_TICK_US);
	build_times_begin(&bench.times, BUILD_STEP_BUILD);
	CU_ASSERT_EQUAL_FATAL(link(path_of(&bench, "out/mod.py"), path_of(&bench, "out/kept")), 0);
	CU_ASSERT_EQUAL(check(&bench), 0);
	/* By the name that the programs do not use. */
	CU_ASSERT_EQUAL_FATAL(truncate(path_of(&bench, "out/kept"), 0), 0);
	build_times_end(&bench.times);
	CU_ASSERT_EQUAL(check(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "a build of this gate made it");
	bench_release(&bench);
}

/* Each of these is kept in a hidden folder, where tools are as well. */
static void
what_a_run_made_is_not_shared(void)
{
	struct bench bench;

	bench_init(&bench);
	mkdir(path_of(&bench, "out/.cache"), 0755);
	use(&bench, &bench.candidate, "here/data", NULL, RUN_FILE_READ);
	use_both(&bench, "out/.cache/tool", RUN_FILE_EXECUTED);
	CU_ASSERT_EQUAL(check(&bench), 0);
	forget_uses(&bench);
	build_times_begin(&bench.times, BUILD_STEP_RUN);
	use_both(&bench, "out/.cache/c0ffee1234567890abcd.so", RUN_FILE_MAPPED);
	use_both(&bench, "out/.cache/mod.pyc", RUN_FILE_READ);
	build_times_end(&bench.times);
	CU_ASSERT_EQUAL(check(&bench), 0);
	build_times_begin(&bench.times, BUILD_STEP_RUN);
	use_both(&bench, "out/.cache/bench", RUN_FILE_EXECUTED);
	build_times_end(&bench.times);
	CU_ASSERT_EQUAL(check(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "/out/.cache/bench'");
	UNIT_CONTAINS(bench.err.text, "a run of this gate made it");
	bench_release(&bench);
}

static void
copy(struct bench *bench, const char *from, const char *to)
{
	char *command =
		mem_printf("install -D '%s' '%s'", path_of(bench, from), path_of(bench, to));

	CU_ASSERT_EQUAL_FATAL(system(command), 0);
	free(command);
}

/* Programs without symbols, and scripts, that are not said to be built here. */
static void
what_the_builds_have_too_is_not_shared(void)
{
	struct bench bench;

	bench_init(&bench);
	copy(&bench, "/bin/true", "out/.local/bin/mixer");
	copy(&bench, "/bin/cat", "here/bench");
	expect_installed(&bench, "out/.local/bin/mixer", RUN_FILE_EXECUTED, NULL);
	copy(&bench, "/bin/true", "there/true");
	expect_installed(&bench, "out/.local/bin/mixer", RUN_FILE_EXECUTED, "its build-id");
	copy(&bench, "/bin/cat", "there/true");
	expect_installed(&bench, "out/.local/bin/mixer", RUN_FILE_EXECUTED, NULL);
	put(&bench, "here/Cargo.toml", "[package]\n  name=\"mixer-core\"\n");
	expect_installed(&bench, "out/.local/bin/mixer", RUN_FILE_EXECUTED, NULL);
	put(&bench, "here/Cargo.toml", "[package]\nname = \"mix\"\n[[bin]]\nname = \"mixer\"\n");
	expect_installed(&bench, "out/.local/bin/mixer", RUN_FILE_EXECUTED, "Cargo.toml");
	unlink(path_of(&bench, "here/Cargo.toml"));
	copy(&bench, "/bin/cat", "there/target/mixer");
	expect_installed(&bench, "out/.local/bin/mixer", RUN_FILE_EXECUTED, "of this name");
	/* Interpreters are tools, also where a build has one. */
	copy(&bench, "/bin/true", "out/.local/bin/python3");
	copy(&bench, "/bin/true", "here/venv/bin/python3");
	expect_installed(&bench, "out/.local/bin/python3", RUN_FILE_EXECUTED, NULL);
	bench_release(&bench);
}

static void
scripts_that_the_builds_have_too_are_not_shared(void)
{
	static const char site[] = "out/.local/lib/site-packages/work/core.py";
	static const char node[] = "out/.nvm/lib/node_modules/work/index.js";
	static const char text[] = "module.exports = (n) => n * 2; // of a package\n";
	struct bench bench;

	bench_init(&bench);
	copy(&bench, "/dev/null", site);
	copy(&bench, "/dev/null", node);
	copy(&bench, "/dev/null", "here/vendor/work/core.py");
	put(&bench, node, text);
	expect_installed(&bench, site, RUN_FILE_READ, NULL);
	expect_installed(&bench, node, RUN_FILE_READ, NULL);
	copy(&bench, node, "here/node_modules/work/index.js");
	expect_installed(&bench, node, RUN_FILE_READ, NULL);
	copy(&bench, node, "there/index.js");
	expect_installed(&bench, node, RUN_FILE_READ, "it is a copy of a file of the builds");
	copy(&bench, "/dev/null", "here/src/work/core.py");
	expect_installed(&bench, site, RUN_FILE_READ, "it is of an installed package");
	bench_release(&bench);
}

static void
a_run_that_uses_no_file_of_its_build_has_nothing_to_compare(void)
{
	struct bench bench;

	bench_init(&bench);
	copy(&bench, "/bin/true", "out/.local/bin/mixer");
	use_both(&bench, "out/.local/bin/mixer", RUN_FILE_EXECUTED);
	CU_ASSERT_EQUAL(check(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "uses no file of its build");
	/* A tool of the system is shared by intent. */
	forget_uses(&bench);
	use_both(&bench, "/bin/true", RUN_FILE_EXECUTED);
	CU_ASSERT_EQUAL(check(&bench), 0);
	expect_installed(&bench, "out/.local/bin/mixer", RUN_FILE_EXECUTED, NULL);
	bench_release(&bench);
}

static void
compile(struct bench *bench, const char *source, const char *text, const char *library)
{
	put(bench, source, text);
	char *command = mem_printf(
		"cc -shared -fPIC -o '%s' '%s'", path_of(bench, library), path_of(bench, source));

	CU_ASSERT_EQUAL_FATAL(system(command), 0);
	free(command);
}

/* By a build of an earlier gate, or by hand. */
static void
what_was_installed_from_the_sources_is_not_shared(void)
{
	struct bench bench;

	if (system("cc --version >/dev/null 2>&1") != 0) {
		unit_skip("there is no cc");
		return;
	}
	bench_init(&bench);
	mkdir(path_of(&bench, "out/.local"), 0755);
	put(&bench, "there/core.c", "/* core_mix mixes */\nint core_mix(int n) { return n; }\n");
	put(&bench, "here/core.c", "int core_mix (int n) { return n + 1; }\n");
	/* A tool's own source of the same name has other functions. */
	compile(&bench, "out/core.c", "int other_work(void) { return 1; }\n", "out/.local/tool.so");
	use_both(&bench, "out/.local/tool.so", RUN_FILE_MAPPED);
	CU_ASSERT_EQUAL(check(&bench), 0);
	compile(&bench, "out/more.c", "int core_mix(int n) { return n; }\n", "out/.local/more.so");
	use_both(&bench, "out/.local/more.so", RUN_FILE_MAPPED);
	CU_ASSERT_EQUAL(check(&bench), 0);
	compile(&bench, "here/core.c", "int core_mix(int n) { return n; }\n", "out/.local/core.so");
	use_both(&bench, "out/.local/core.so", RUN_FILE_MAPPED);
	CU_ASSERT_EQUAL(check(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "/out/.local/core.so'");
	UNIT_CONTAINS(bench.err.text, "it was built from sources of these names");
	forget_uses(&bench);
	compile(&bench, "here/mix.cc", "namespace mix { int work(int n) { return n; } }\n",
		"out/.local/mix.so");
	use_both(&bench, "out/.local/mix.so", RUN_FILE_MAPPED);
	CU_ASSERT_EQUAL(check(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "/out/.local/mix.so'");
	bench_release(&bench);
}

static void
a_path_that_the_base_lacks_matters_where_it_is_used(void)
{
	struct bench bench;

	bench_init(&bench);
	bench.moved.paths = mem_zalloc(1, sizeof(*bench.moved.paths));
	bench.moved.count = 1;
	bench.moved.paths[0] = (struct moved_path){
		"DATA", path_of(&bench, "here/data"), path_of(&bench, "there/data")};
	mkdir(path_of(&bench, "here/data"), 0755);
	CU_ASSERT_EQUAL(check(&bench), 0);
	bench.candidate.known = false;
	CU_ASSERT_EQUAL(check(&bench), -1);
	bench.candidate.known = true;
	use(&bench, &bench.candidate, "here/data/x", NULL, RUN_FILE_READ);
	CU_ASSERT_EQUAL(check(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "'DATA' names '");
	UNIT_CONTAINS(bench.err.text, "here/data/x', which the base main lacks");
	UNIT_CONTAINS(bench.err.text, "by the path '");
	UNIT_CONTAINS(bench.err.text, "`inputs`");
	/* The path itself needs no second mention. */
	forget_uses(&bench);
	bench.moved.paths[0].here = put(&bench, "here/x", "");
	use(&bench, &bench.candidate, "here/x", NULL, RUN_FILE_READ);
	CU_ASSERT_EQUAL(check(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "here/x', which the base main lacks");
	CU_ASSERT_PTR_NULL(strstr(bench.err.text, "by the path '"));
	mkdir(path_of(&bench, "there/data"), 0755);
	CU_ASSERT_EQUAL(check(&bench), 0);
	bench_release(&bench);
}

/* Data that is made anew, the same, has not changed; what is below the folder has. */
static void
changes_since_a_run_are_found(void)
{
	struct bench bench;
	struct file_states states;

	bench_init(&bench);
	use(&bench, &bench.candidate, "out/data", NULL, RUN_FILE_READ);
	use(&bench, &bench.candidate, "here/bench", NULL, RUN_FILE_EXECUTED);
	use(&bench, &bench.candidate, "here/log", NULL, RUN_FILE_READ | RUN_FILE_WRITTEN);
	file_states_take(&states, &bench.candidate, path_of(&bench, "here"));
	put(&bench, "here/log", "more");
	put(&bench, "out/data", "out/data");
	CU_ASSERT_PTR_NULL(file_states_find_changed(&states, path_of(&bench, "here")));
	put(&bench, "out/data", "other");
	const struct file_state *changed =
		file_states_find_changed(&states, path_of(&bench, "here"));

	UNIT_NEED(changed);
	UNIT_STR_EQ(changed->path, path_of(&bench, "out/data"));
	/* Data is no code, also where it changes with it. */
	CU_ASSERT_PTR_NULL(file_states_find_other_code(&states));
	put(&bench, "here/bench", "other");
	changed = file_states_find_other_code(&states);
	UNIT_NEED(changed);
	UNIT_STR_EQ(changed->path, path_of(&bench, "here/bench"));
	put(&bench, "here/bench", "here/bench");
	CU_ASSERT_PTR_NULL(file_states_find_other_code(&states));
	put(&bench, "out/data", "out/data");
	changed = file_states_find_changed(&states, path_of(&bench, "here"));
	UNIT_NEED(changed);
	UNIT_STR_EQ(changed->path, path_of(&bench, "here/bench"));
	CU_ASSERT_TRUE(changed->is_code);
	file_states_release(&states);
	bench_release(&bench);
}

static const struct unit_case cases[] = {
	{"each_side_may_use_its_own_files", each_side_may_use_its_own_files},
	{"a_file_of_the_working_tree_is_named", a_file_of_the_working_tree_is_named},
	{"the_candidate_may_not_use_the_base", the_candidate_may_not_use_the_base},
	{"a_base_below_the_working_tree_is_its_own", a_base_below_the_working_tree_is_its_own},
	{"how_it_got_there_is_told", how_it_got_there_is_told},
	{"what_a_build_made_is_not_shared", what_a_build_made_is_not_shared},
	{"what_was_linked_was_not_made", what_was_linked_was_not_made},
	{"what_a_run_made_is_not_shared", what_a_run_made_is_not_shared},
	{"what_the_builds_have_too_is_not_shared", what_the_builds_have_too_is_not_shared},
	{"scripts_that_the_builds_have_too_are_not_shared",
		scripts_that_the_builds_have_too_are_not_shared},
	{"a_run_that_uses_no_file_of_its_build_has_nothing_to_compare",
		a_run_that_uses_no_file_of_its_build_has_nothing_to_compare},
	{"what_was_installed_from_the_sources_is_not_shared",
		what_was_installed_from_the_sources_is_not_shared},
	{"a_path_that_the_base_lacks_matters_where_it_is_used",
		a_path_that_the_base_lacks_matters_where_it_is_used},
	{"changes_since_a_run_are_found", changes_since_a_run_are_found},
	{NULL, NULL},
};

void
suite_builds_side_files(void)
{
	unit_suite("builds/side_files", cases);
}
