#include "builds/used_files.h"

#include "git_fixture.h"
#include "process/file_watch.h"

#include <string.h>

void suite_builds_missing_input(void);

/* A workload whose command names files, and the commit `one` that it is compared with. */
struct bench {
	struct git_fixture f;
	struct build_side side;
	struct arena arena;
	const char *words[5];
	const char *env[1];
	const char *inputs[2];
	struct workload here;
	struct workload there;
	struct missing_input missing;
};

static bool
bench_init(struct bench *bench)
{
	*bench = (struct bench){.words = {"./program"}};
	if (!git_fixture_init(&bench->f))
		return false;
	bench->here = (struct workload){
		.name = "work", .path = "work.yaml", .run = bench->words, .env = bench->env};
	git_fixture_sh(&bench->f,
		"mkdir data; echo x >data/a.bin; echo 'data/' >.git/info/exclude; echo x >loose\n"
		"echo x >new; git add new; git commit -q -m three");
	CU_ASSERT_EQUAL_FATAL(build_side_against(&bench->side, "one", false, &bench->f.err), 0);
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
find(struct bench *bench)
{
	CU_ASSERT_EQUAL_FATAL(build_side_workload(&bench->side, &bench->here, &bench->there, NULL,
				      &bench->arena, &bench->f.err),
		0);
	missing_input_find(&bench->missing, &bench->side, &bench->here, &bench->there);
}

/* `path` NULL: nothing is missing. */
static void
check_found(struct bench *bench, const char *path, enum missing_state state)
{
	find(bench);
	UNIT_STR_EQ(bench->missing.path ? bench->missing.path : "none", path ? path : "none");
	if (path)
		CU_ASSERT_EQUAL(bench->missing.state, state);
	missing_input_release(&bench->missing);
}

/* With this argument, or these two. */
static void
check_words(struct bench *bench, const char *one, const char *two, const char *path)
{
	bench->words[1] = one;
	bench->words[2] = two;
	check_found(bench, path, MISSING_IGNORED);
}

static void
a_named_file_that_git_ignores_is_missing(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	check_words(&bench, "data/a.bin", NULL, "data/a.bin");
	check_words(&bench, "--input=data/a.bin", NULL, "data/a.bin");
	check_words(&bench, "-v", "data", "data");
	char *absolute = realpath("data/a.bin", NULL);

	check_words(&bench, absolute, NULL, "data/a.bin");
	free(absolute);
	check_words(&bench, "sub/file", "program.sh", NULL);
	check_words(&bench, "data/none", NULL, NULL);
	/* It is written. */
	check_words(&bench, "-o", "data/a.bin", NULL);
	check_words(&bench, "--output=data/a.bin", NULL, NULL);
	bench.inputs[0] = "data/*.bin";
	bench.here.inputs = bench.inputs;
	check_words(&bench, "data/a.bin", NULL, NULL);
	bench_release(&bench);
}

static void
words_of_a_line_are_looked_at(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	bench.words[0] = "/bin/sh";
	check_words(&bench, "-c", "exec ./program 'data/a.bin' | cat", "data/a.bin");
	check_words(&bench, "-c", "./program <data/a.bin", "data/a.bin");
	check_words(&bench, "-c", "./program >data/a.bin", NULL);
	check_words(&bench, "-c", "./program 2> data/a.bin", NULL);
	bench.words[1] = NULL;
	bench.here.stdin_path = "data/a.bin";
	check_found(&bench, "data/a.bin", MISSING_IGNORED);
	bench_release(&bench);
}

static void
the_state_of_a_file_is_told(void)
{
	struct bench bench;
	struct buf text = {0};

	if (!bench_init(&bench))
		return;
	bench.words[1] = "loose";
	check_found(&bench, "loose", MISSING_UNTRACKED);
	bench.words[1] = "new";
	check_found(&bench, "new", MISSING_NEW);
	git_fixture_sh(&bench.f, "echo 'version https://git-lfs.github.com/spec/v1' >large\n"
				 "seq 1000 >long; git add large long; git commit -q -m large\n"
				 "echo much >large; echo short >long");
	build_side_release(&bench.side);
	CU_ASSERT_EQUAL_FATAL(build_side_against(&bench.side, "HEAD", false, &bench.f.err), 0);
	bench.words[1] = "long";
	check_found(&bench, NULL, MISSING_POINTER);
	bench.words[1] = "large";
	check_found(&bench, "large", MISSING_POINTER);
	find(&bench);
	missing_input_describe(&bench.missing, &bench.here, &text);
	UNIT_CONTAINS(buf_text(&text), "only the git-lfs pointer of 'large'");
	UNIT_CONTAINS(buf_text(&text), "'inputs' in work.yaml");
	missing_input_release(&bench.missing);
	buf_release(&text);
	bench_release(&bench);
}

static void
check_used(struct bench *bench, const char *name, unsigned uses, const char *path)
{
	struct run_files used = {.known = true};
	char *real = realpath(name, NULL);

	run_files_add(
		&used, &(struct run_file){.path = real, .name = real, .by = "", .uses = uses});
	missing_input_find_used(&bench->missing, &bench->side, &bench->here, &used);
	UNIT_STR_EQ(bench->missing.path ? bench->missing.path : "none", path);
	missing_input_release(&bench->missing);
	run_files_release(&used);
	free(real);
}

static void
a_file_that_a_run_read_is_missing(void)
{
	struct bench bench;

	if (!bench_init(&bench))
		return;
	check_used(&bench, "data/a.bin", RUN_FILE_READ, "data/a.bin");
	check_used(&bench, "data/a.bin", RUN_FILE_WRITTEN, "none");
	check_used(&bench, "data/a.bin", RUN_FILE_READ | RUN_FILE_WRITTEN, "none");
	check_used(&bench, "loose", RUN_FILE_READ, "loose");
	/* The change is about it. */
	check_used(&bench, "new", RUN_FILE_READ, "none");
	git_fixture_sh(&bench.f, "mkdir data/__pycache__; echo x >data/__pycache__/a.pyc");
	check_used(&bench, "data/__pycache__/a.pyc", RUN_FILE_READ, "none");
	git_fixture_sh(&bench.f, "echo 'version https://git-lfs.github.com/spec/v1' >large\n"
				 "git add large; git commit -q -m large; echo much >large");
	build_side_release(&bench.side);
	CU_ASSERT_EQUAL_FATAL(build_side_against(&bench.side, "HEAD", false, &bench.f.err), 0);
	check_used(&bench, "large", RUN_FILE_READ, "large");
	bench_release(&bench);
}

static const struct unit_case cases[] = {
	{"a_named_file_that_git_ignores_is_missing", a_named_file_that_git_ignores_is_missing},
	{"words_of_a_line_are_looked_at", words_of_a_line_are_looked_at},
	{"the_state_of_a_file_is_told", the_state_of_a_file_is_told},
	{"a_file_that_a_run_read_is_missing", a_file_that_a_run_read_is_missing},
	{NULL, NULL},
};

void
suite_builds_missing_input(void)
{
	unit_suite("builds/missing_input", cases);
}
