/*
 * A workload whose build leaves a program and a mark outside of all builds, and the build it is
 * compared with, in a small repository.
 */
#ifndef UNIT_BUILDS_BUILD_BENCH_H
#define UNIT_BUILDS_BUILD_BENCH_H

#include "builds/build_side.h"
#include "builds/worktree.h"
#include "git_fixture.h"

struct bench {
	struct git_fixture f;
	struct build_side side;
	struct arena arena;
	const char *words[4];
	const char *env[2];
	struct workload workload;
	struct workload there;
};

static inline bool
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

static inline void
bench_release(struct bench *bench)
{
	build_side_release(&bench->side);
	arena_release(&bench->arena);
	git_fixture_release(&bench->f);
}

static inline void
hold_against(struct bench *bench, const char *against)
{
	int result = build_side_against(&bench->side, against, false, &bench->f.err);

	if (result < 0)
		printf("  %s\n", bench->f.err.text);
	CU_ASSERT_EQUAL_FATAL(result, 0);
}

/* The workload as it is there. */
static inline void
bring(struct bench *bench)
{
	CU_ASSERT_EQUAL_FATAL(build_side_workload(&bench->side, &bench->workload, &bench->there,
				      NULL, &bench->arena, &bench->f.err),
		0);
}

/* How often anything was built. */
static inline size_t
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

static inline int
try_build(struct bench *bench)
{
	bring(bench);
	return build_side_build(&bench->side, &bench->there, NULL, &bench->f.err);
}

static inline void
build(struct bench *bench)
{
	CU_ASSERT_EQUAL(try_build(bench), 0);
}

/* What the program that was built in `folder` says. */
static inline void
check_program(const char *folder, const char *says)
{
	char *command = mem_printf("cat '%s/program'", folder);
	char *said = git_fixture_ask(command);

	UNIT_STR_EQ(said, says);
	free(said);
	free(command);
}

#endif
