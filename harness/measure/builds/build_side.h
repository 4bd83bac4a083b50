/*
 * The builds that a gate measures: the one of the working tree, and with `--against` the one it is
 * compared with, interleaved.
 */
#ifndef BUILDS_BUILD_SIDE_H
#define BUILDS_BUILD_SIDE_H

#include "base/arena.h"
#include "base/err.h"
#include "builds/build_product.h"
#include "builds/path_map.h"
#include "process/file_watch.h"
#include "profile/profile.h"
#include "spec/workload.h"

#include <stdbool.h>

struct path_map;
struct repository;
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
 * Sets `to` to the workload as it is run in this build: `from` with its cwd there, and with those
 * words of `run` replaced that the map names. All paths below the working tree are replaced by
 * those of this build, in its commands and in its environment, to which those variables of our own
 * are added that hold such a path. Replaced paths are added to `moved` (if not NULL). Replacements
 * live in `arena`, all else in `from`, which outlives `to`; `to` is not to be released. It is an
 * error if a map of the user's names no word of `run`.
 */
int build_side_workload(const struct build_side *side, const struct workload *from,
	struct workload *to, struct moved_paths *moved, struct arena *arena, struct err *err);

/*
 * Gives the source files of a profile of this build the paths that they have in the working tree,
 * so that a function is in the same file on both sides.
 */
void build_side_name_sources(const struct build_side *side, struct profile *profile);

/*
 * Runs the build command of the workload, as it is run in this build, in the time of
 * program_build_limit_s(). The build of a commit is noted, and not repeated while its program is
 * there. Nothing is done for a side that is not built. `output_path` is as in program_build().
 */
int build_side_build(const struct build_side *side, const struct workload *there,
	const char *output_path, struct err *err);

/*
 * After build and setup: it is an error if the program, a path in the command, is not there. The
 * programs that setup made are noted, as those of the build are.
 */
int build_side_check_program(
	const struct build_side *side, const struct workload *there, struct err *err);

/*
 * The files that a run of each build used, by the build that they belong to. The two sides of a
 * comparison are two builds only if neither runs what the other has, and no file that a build makes
 * is run by both: anything else is an error that names the file and how it got there.
 */

/* The runs of both sides; all borrowed. */
struct side_runs {
	const struct build_side *base;
	const struct workload *here;       /* as the candidate is run */
	const struct workload *there;      /* as the base is */
	const struct moved_paths *moved;   /* from `here` to `there` */
	const struct build_times *times;   /* of all builds so far */
	const struct run_files *candidate; /* used by the candidate */
	/* Used by the base; NULL: it is not run, as both builds are the same program. */
	const struct run_files *other;
};

/* 0 if each side ran its own files. Files of `inputs`, and tools outside both builds, are shared.
 */
int side_files_check(const struct side_runs *runs, struct err *err);
/* The same where only some of the files are known, such as the code that was mapped. */
int side_files_check_known(const struct side_runs *runs, struct err *err);

#endif
