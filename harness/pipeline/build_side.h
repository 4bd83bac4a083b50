/*
 * The builds that a gate measures: the one that stands here, and with `--against` the one it is
 * held against, measured in turns with it.
 */
#ifndef PIPELINE_BUILD_SIDE_H
#define PIPELINE_BUILD_SIDE_H

#include "base/arena.h"
#include "base/err.h"
#include "spec/workload.h"

#include <stdbool.h>

/* Where a build is, and how a workload is run in it. */
struct build_side {
	const char *name;     /* for people: "HEAD", "origin/main (1a2b3c4d5e6f)", "../base" */
	char commit[65];      /* "" if not known */
	char *root;           /* folder that relative paths of a workload start from; NULL: here */
	bool builds;          /* the workload's build command is run in it, unless it is cached */
	struct path_map *map; /* programs elsewhere; NULL: none */
	char *owned_name;
	char *cache; /* folder that tells what has been built; NULL: nothing is kept */
};

/* The build that stands here. */
void build_side_here(struct build_side *side);

/*
 * What `against` names: a folder with another build; a YAML file that maps program paths of the
 * workloads to others; else a commit, which gets a git worktree of its own below the user's cache
 * folder, made on the first use and kept. A commit that cannot be resolved (a shallow clone, say)
 * is an error that says what to fetch.
 */
int build_side_against(struct build_side *side, const char *against, struct err *err);

void build_side_release(struct build_side *side);

/*
 * The workload as it is run in this build: `from` with cwd, stdin and the words of `run` that the
 * map names replaced. The strings live in `arena`, what is not replaced in `from`.
 */
struct workload build_side_workload(
	const struct build_side *side, const struct workload *from, struct arena *arena);

/*
 * Runs the workload's build command in this build, and remembers it for a commit, whose build is
 * not repeated. Nothing where it does not build.
 */
int build_side_build(
	const struct build_side *side, const struct workload *workload, struct err *err);

#endif
