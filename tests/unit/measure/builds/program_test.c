#include "builds/program.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "git_fixture.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void suite_builds_program(void);

/* A workload in its own folder, which is where it runs. */
struct bench {
	char dir[48];
	const char *argv[4];
	const char *env[2];
	struct workload workload;
	struct err err;
};

static void
bench_init(struct bench *bench, const char *program, const char *argument)
{
	*bench = (struct bench){.dir = "/tmp/program-test-XXXXXX", .argv = {program, argument}};
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(bench->dir));
	bench->workload.name = "work";
	bench->workload.run = bench->argv;
	bench->workload.env = bench->env;
	bench->workload.cwd = bench->dir;
}

static void
bench_release(struct bench *bench)
{
	file_remove_tree(bench->dir, &bench->err);
}

static void
path_in(const struct bench *bench, const char *name, char path[128])
{
	snprintf(path, 128, "%s/%s", bench->dir, name);
}

static void
a_build_runs_where_we_are_and_a_setup_where_the_program_will(void)
{
	struct bench bench;
	char path[128];
	struct stat made;

	bench_init(&bench, "./program", NULL);
	bench.env[0] = "MARK=made";
	bench.workload.setup = "touch \"$MARK\"";
	CU_ASSERT_EQUAL(program_build(&bench.workload, NULL, &bench.err), 0);
	CU_ASSERT_EQUAL(program_set_up(&bench.workload, 0, &bench.err), 0);
	path_in(&bench, "made", path);
	CU_ASSERT_EQUAL(stat(path, &made), 0);
	enum log_level level = log_get_level();

	log_set_level(LOG_ERROR);
	bench.workload.build = "test -z \"$MARK\" && ! test -e made";
	CU_ASSERT_EQUAL(program_build(&bench.workload, NULL, &bench.err), 0);
	bench.workload.build = "exit 4";
	CU_ASSERT_EQUAL(program_build(&bench.workload, NULL, &bench.err), -1);
	UNIT_CONTAINS(bench.err.text, "'build of work' exited with status 4");
	bench.workload.teardown = "rm made; exit 1";
	program_tear_down(&bench.workload, 0);
	CU_ASSERT_EQUAL(stat(path, &made), -1);
	log_set_level(level);
	bench_release(&bench);
}

static void
check_lacks(const struct workload *workload, const char *expected)
{
	struct buf reason = {0};

	CU_ASSERT_EQUAL(program_lacks(workload, &reason), expected != NULL);
	UNIT_STR_EQ(buf_text(&reason), expected ? expected : "");
	buf_release(&reason);
}

static void
a_build_has_a_limit_of_its_own(void)
{
	struct bench bench;

	bench_init(&bench, "sleep 60", NULL);
	bench.workload.build = "sleep 60";
	bench.workload.build_timeout_s = 0.2;
	CU_ASSERT_EQUAL(program_build(&bench.workload, NULL, &bench.err), -1);
	UNIT_CONTAINS(bench.err.text, "timeout of 0.2 s");
	UNIT_CONTAINS(bench.err.text, "increase 'build_timeout'");
	bench.workload.build_timeout_s = 0;
	UNIT_NEAR(program_build_limit_s(&bench.workload), 3600, 0);
	bench_release(&bench);
}

/* `deadline_s` is over, or far, or there is none. */
static void
check_budget(const char *setup, double deadline_s, bool noted)
{
	struct bench bench;

	bench_init(&bench, "true", NULL);
	bench.workload.setup = setup;
	bench.workload.capture.timeout_s = 0.1;
	CU_ASSERT_EQUAL(program_set_up(&bench.workload, deadline_s, &bench.err), -1);
	CU_ASSERT_EQUAL(
		strstr(bench.err.text, "the budget is used up: increase it") != NULL, noted);
	bench_release(&bench);
}

static void
a_setup_that_ends_with_the_budget_is_told_so(void)
{
	check_budget("sleep 60", 0.001, true);
	/* It failed by itself. */
	check_budget("exit 4", 0.001, false);
	check_budget("sleep 0.2; exit 4", 1e9, false);
	check_budget("sleep 0.2; exit 4", 0, false);
}

static void
missing_programs_are_named_with_their_packages(void)
{
	struct requirement requires[5] = {{"sh", "dash"}};
	struct bench bench;

	bench_init(&bench, "true", NULL);
	check_lacks(&bench.workload, NULL);
	bench.workload.requires = requires;
	check_lacks(&bench.workload, NULL);
	requires[1] = (struct requirement){"no-such-server", "tools"};
	check_lacks(&bench.workload, "no-such-server is not installed: apt-get install tools");
	CU_ASSERT_EQUAL(program_build(&bench.workload, NULL, &bench.err), -1);
	UNIT_STR_EQ(bench.err.text, "no-such-server is not installed: apt-get install tools");
	requires[2] = (struct requirement){"no-such-driver", "tools"};
	requires[3] = (struct requirement){"/no/such/*/initdb", NULL};
	check_lacks(&bench.workload,
		"no-such-server, no-such-driver and /no/such/*/initdb are not installed: "
		"apt-get install tools");
	bench_release(&bench);
}

static void
a_required_program_is_found_along_the_path_of_the_workload_or_by_wildcards(void)
{
	struct requirement requires[3] = {{"served", NULL}, {"v*/served", NULL}};
	struct bench bench;

	bench_init(&bench, "true", NULL);
	bench.workload.requires = requires;
	check_lacks(&bench.workload, "served and v*/served are not installed");
	bench.workload.setup = "mkdir v1 v2; touch v1/served v2/served; chmod 644 v1/served";
	CU_ASSERT_EQUAL(program_set_up(&bench.workload, 0, &bench.err), 0);
	bench.env[0] = "PATH=v1:v2";
	check_lacks(&bench.workload, "served and v*/served are not installed");
	bench.env[0] = NULL;
	bench.workload.setup = "chmod +x v2/served";
	CU_ASSERT_EQUAL(program_set_up(&bench.workload, 0, &bench.err), 0);
	check_lacks(&bench.workload, "served is not installed");
	bench.env[0] = "PATH=v1:v2";
	check_lacks(&bench.workload, NULL);
	bench_release(&bench);
}

/* What is found after `script`, with a program that was built at second 1000, or by `build`. */
static void
check_built_files(const char *build, const char *script, const char *files)
{
	static const char *const run[] = {"./program", NULL};
	const struct workload workload = {.name = "work", .build = "make", .run = run};
	struct git_fixture f;
	char commit[GIT_COMMIT_SIZE];

	if (!git_fixture_init(&f))
		return;
	git_fixture_sh(&f,
		"echo 1 >Makefile; echo 1 >README.md; git add .; git commit -q -m three\n"
		"touch -d @1000 program");
	git_fixture_sh(&f, build);
	git_head(NULL, commit);
	git_fixture_sh(&f, script);
	char *found = stale_build_files(&workload, commit);

	UNIT_STR_EQ(found ? found : "none", files);
	free(found);
	git_fixture_release(&f);
}

static void
check_files(const char *script, const char *files)
{
	check_built_files("true", script, files);
}

static void
changed_files_newer_than_the_program_are_named(void)
{
	check_files("true", "none");
	check_files("echo 2 >Makefile", "Makefile");
	check_files("echo 2 >Makefile; git commit -qam flags; echo 3 >program.sh",
		"Makefile, program.sh");
	check_files("echo 2 >README.md", "none");
	check_files("mkdir baselines; echo 1 >baselines/runs.stacks; git add .; git commit -qm new",
		"none");
	/* The build came after the change. */
	check_files("echo 2 >Makefile; touch program", "none");
	check_files("echo 2 >Makefile; rm program", "none");
}

/* As where objects are kept in a folder that both builds share. */
static void
changed_sources_of_the_program_are_named(void)
{
	static const char make[] =
		"echo 'int work(void) { return 1; }' >work.c; echo 'int other;' >other.c\n"
		"echo 'int work(void);int main(void){return work();}' >main.c\n"
		"cc -o program main.c work.c; git add *.c; git commit -qm four";
	static const struct {
		const char *change;
		const char *files;
	} cases[] = {
		{"true", "none"},
		{"echo 'int work(void) { return 2; }' >work.c", "work.c"},
		{"echo ' // a comment' >>work.c; echo >>main.c", "none"},
		{"echo 'int another;' >other.c", "none"},
		/* Which of the two the program is made of is not known. */
		{"mkdir d; echo 2 >d/work.c; git add d; echo 'int work(void) { return 2; }' >work.c",
			"none"},
	};

	if (system("cc --version >/dev/null 2>&1") != 0) {
		unit_skip("there is no cc");
		return;
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *script = mem_printf("%s; touch program", cases[i].change);

		check_built_files(make, script, cases[i].files);
		free(script);
	}
}

/* The first ending of files that the interpreter of a script with this first line loads; "-": none.
 */
static void
check_script(const char *first_line, const char *ending)
{
	char folder[] = "/tmp/script-test-XXXXXX";
	struct err err = {0};

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	char *path = file_join(folder, "script");

	CU_ASSERT_EQUAL(file_write(path, first_line, strlen(first_line), &err), 0);
	const char *const *endings = program_script_endings("./script", path);

	UNIT_STR_EQ(endings ? endings[0] : "-", ending);
	file_remove_tree(folder, &err);
	free(path);
}

static void
the_interpreter_of_a_script_is_in_its_first_line(void)
{
	check_script("#!/usr/bin/env python3\nimport module\n", ".py");
	check_script("#! /usr/bin/python3.11 -u\n", ".py");
	check_script("#!  /usr/bin/env   python3 -u\n", ".py");
	check_script("#!/opt/myenv python3\n", "-");
	check_script("#!/bin/cat\n#!/usr/bin/python3\n", "-");
	check_script("# /usr/bin/python3\n", "-");
	check_script("", "-");
	CU_ASSERT_PTR_NOT_NULL(program_script_endings("python3", "/nowhere/at/all"));
	CU_ASSERT_PTR_NULL(program_script_endings("./parse", "/nowhere/at/all"));
	CU_ASSERT_PTR_NOT_NULL(program_script_endings("./parse", "/nowhere/python3"));
}

static const struct unit_case cases[] = {
	{"the_interpreter_of_a_script_is_in_its_first_line",
		the_interpreter_of_a_script_is_in_its_first_line},
	{"a_build_runs_where_we_are_and_a_setup_where_the_program_will",
		a_build_runs_where_we_are_and_a_setup_where_the_program_will},
	{"a_build_has_a_limit_of_its_own", a_build_has_a_limit_of_its_own},
	{"a_setup_that_ends_with_the_budget_is_told_so",
		a_setup_that_ends_with_the_budget_is_told_so},
	{"missing_programs_are_named_with_their_packages",
		missing_programs_are_named_with_their_packages},
	{"a_required_program_is_found_along_the_path_of_the_workload_or_by_wildcards",
		a_required_program_is_found_along_the_path_of_the_workload_or_by_wildcards},
	{"changed_sources_of_the_program_are_named", changed_sources_of_the_program_are_named},
	{"changed_files_newer_than_the_program_are_named",
		changed_files_newer_than_the_program_are_named},
	{NULL, NULL},
};

void
suite_builds_program(void)
{
	unit_suite("builds/program", cases);
}
