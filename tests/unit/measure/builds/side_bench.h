/*
 * The files that the runs of a candidate and of its base used, for tests of which of them are of
 * the wrong build.
 */
#ifndef UNIT_BUILDS_SIDE_BENCH_H
#define UNIT_BUILDS_SIDE_BENCH_H

#include "base/mem.h"
#include "builds/build_side.h"
#include "scratch.h"
#include "unit.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The working tree "here", the base "there" and a folder "out" outside of both. */
struct bench {
	struct scratch scratch;
	struct build_side base;
	const char *words[2];
	struct workload workload;
	struct moved_paths moved;
	struct build_times times;
	struct run_files candidate;
	struct run_files other;
	struct arena arena;
	struct err err;
};

static inline const char *
path_of(struct bench *bench, const char *name)
{
	if (name[0] == '/')
		return name;
	return arena_printf(&bench->arena, "%s/%s", bench->scratch.dir, name);
}

static inline const char *
put(struct bench *bench, const char *name, const char *text)
{
	const char *path = path_of(bench, name);

	CU_ASSERT_EQUAL_FATAL(file_write(path, text, strlen(text), &bench->err), 0);
	return path;
}

static inline void
bench_init(struct bench *bench)
{
	static const char *const folders[] = {"here", "there", "out", "here/.git"};

	*bench = (struct bench){.words = {"./bench"}};
	scratch_init(&bench->scratch);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		mkdir(path_of(bench, folders[i]), 0755);
	bench->base.name = mem_strdup("main");
	bench->base.texts = tree_text_new(path_of(bench, "here"), path_of(bench, "there"));
	bench->workload.run = bench->words;
	bench->candidate.known = bench->other.known = true;
}

static inline void
bench_release(struct bench *bench)
{
	build_side_release(&bench->base);
	run_files_release(&bench->candidate);
	run_files_release(&bench->other);
	free(bench->moved.paths);
	free(bench->times.times);
	arena_release(&bench->arena);
	scratch_release(&bench->scratch);
}

/* A file of a run, which is there; named through another path or (NULL) by its own. */
static inline void
use(struct bench *bench, struct run_files *files, const char *name, const char *as, unsigned uses)
{
	const char *path = path_of(bench, name);

	if (access(path, F_OK) < 0)
		put(bench, name, name);
	run_files_add(files, &(struct run_file){.path = path,
				     .name = as ? path_of(bench, as) : path,
				     .by = path_of(bench, "there/bench"),
				     .uses = uses});
}

static inline int
check(struct bench *bench)
{
	const struct side_runs runs = {.base = &bench->base,
		.here = &bench->workload,
		.there = &bench->workload,
		.moved = &bench->moved,
		.times = &bench->times,
		.candidate = &bench->candidate,
		.other = &bench->other};

	bench->err = (struct err){0};
	return side_files_check(&runs, &bench->err);
}

static inline void
use_both(struct bench *bench, const char *name, unsigned uses)
{
	use(bench, &bench->candidate, name, NULL, uses);
	use(bench, &bench->other, name, NULL, uses);
}

static inline void
forget_uses(struct bench *bench)
{
	run_files_release(&bench->candidate);
	run_files_release(&bench->other);
}

static inline void
expect_installed(struct bench *bench, const char *name, unsigned uses, const char *evidence)
{
	forget_uses(bench);
	use(bench, &bench->candidate, "here/data", NULL, RUN_FILE_READ);
	use_both(bench, name, uses);
	CU_ASSERT_EQUAL(check(bench), evidence ? -1 : 0);
	if (evidence)
		UNIT_CONTAINS(bench->err.text, evidence);
}

#endif
