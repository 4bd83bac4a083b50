/*
 * The builds that a gate measures: the one of the working tree, and with `--against` the one it is
 * compared with, interleaved.
 */
#ifndef BUILDS_BUILD_SIDE_H
#define BUILDS_BUILD_SIDE_H

#include "base/arena.h"
#include "base/err.h"
#include "profile/profile.h"

#include <stdbool.h>

struct path_map;
struct repository;
struct tree_text;
struct worktree;

/* Where a build is, and how a workload is run in it. All pointers are its own. */
struct build_side {
	char *name;            /* for people: "origin/main (1a2b3c4d5e6f)", "../base" */
	char *notes;           /* what differs beside the code, whole sentences; NULL: nothing */
	char commit[65];       /* "" if not known, and for the working tree */
	char *root;            /* folder that a workload's paths start from; NULL: here */
	bool builds;           /* the workload's build command is run in it */
	bool lacks_folder;     /* the commit has not even the folder of the workloads */
	bool same;             /* it is the working tree: built and set up with that */
	struct path_map *map;  /* from paths here to those of this build; NULL: none differ */
	struct path_map *back; /* from folders of this build to those here; NULL: not known */
	/* From the working tree to this build's own; NULL: they are one (a map of programs). */
	struct tree_text *texts;
	struct worktree *worktree; /* of a commit; kept by this process; NULL: none */
};

/* The build of the working tree, committed or not. */
void build_side_here(struct build_side *side);

/*
 * The build that `against` names: a folder with another build; a YAML file (NAME.yaml, NAME.yml)
 * that maps program paths of the workloads to others; else a commit, which gets a separate git
 * worktree below the user's cache folder, made on the first use and kept. A commit that cannot be
 * resolved (a shallow clone, say) is an error that says what to fetch. With `anew` a kept build of
 * it is not used. On error nothing needs releasing.
 */
int build_side_against(struct build_side *side, const char *against, bool anew, struct err *err);

/* The build of a commit by its full name, as above. */
int build_side_of_commit(struct build_side *side, const struct repository *repository,
	const char *commit, bool anew, struct err *err);

void build_side_release(struct build_side *side);

/* "the base HEAD~1": its name in messages, the arena's. */
const char *build_side_subject(const struct build_side *side, struct arena *arena);

/*
 * Gives the source files of a profile of this build the paths that they have in the working tree,
 * so that a function is in the same file on both sides.
 */
void build_side_name_sources(const struct build_side *side, struct profile *profile);

#endif
