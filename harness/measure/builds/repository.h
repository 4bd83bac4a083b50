/*
 * The git repository that profile_run was started in: running git there, the commits that are named
 * there, the line between two of them, the files that profile_run wrote itself, and workloads that
 * had another name.
 */
#ifndef BUILDS_REPOSITORY_H
#define BUILDS_REPOSITORY_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "process/process.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A hook has GIT_DIR, GIT_INDEX_FILE and the like in its environment: they are removed for git,
 * which is to use the repository of the folder that it runs in, and no other.
 */

/* 64 hexadecimal digits (SHA-256) and a terminator. */
#define GIT_COMMIT_SIZE 65

/* Removes those variables from a program: the `env` of a struct child_spec. */
extern const char *const *const git_local_variables;

/*
 * Runs git with `args` (NULL-ended, without "git") in `folder`, NULL: here. No hook is run, the
 * user is not prompted, and no background work is left. As tool_run().
 */
int git_run(
	struct tool_output *output, const char *folder, const char *const *args, struct err *err);

/*
 * The same, but a failure is an error with git's message in `err`. Up to `most_bytes` of its output
 * are kept.
 */
int git_run_up_to(struct tool_output *output, size_t most_bytes, const char *folder,
	const char *const *args, struct err *err);

/* The line it prints, free() it; NULL and git's message in `err` if it fails. */
char *git_line(const char *folder, const char *const *args, struct err *err);
/* Runs git; if it fails, its message is in `err`. */
int git_run_checked(const char *folder, const char *const *args, struct err *err);

/*
 * The next text of a listing with a NUL after each ("-z"), at *at, which goes behind it; NULL at
 * the end.
 */
const char *git_next_text(const char **at, const char *end);

/* The folder of the working tree here, as git names it; free() it. NULL where there is none. */
char *git_top(void);

/* Whether git tracks the file or folder. */
bool git_is_tracked(const char *path);

/* Whether `text` is the full name of a commit: 40 or 64 hexadecimal digits. */
bool git_is_commit(const char *text);

/* Whether `commit` is `of` or one of its ancestors, as far as `folder` has them: 1, 0, -1 on error.
 */
int git_is_ancestor(const char *folder, const char *commit, const char *of, struct err *err);

/* The commit that is checked out in `folder`; "" and no error where there is none. */
void git_head(const char *folder, char commit[GIT_COMMIT_SIZE]);

struct repository {
	char *top;    /* of the working tree here; absolute, without links */
	char *prefix; /* the current folder below it: "" or "bench/" */
	char *common; /* the .git folder that all its worktrees share; absolute, without links */
	bool shallow; /* without all of its history */
};

/* An error where there is no git, no repository, or one without a working tree. */
int repository_open(struct repository *repository, struct err *err);
void repository_release(struct repository *repository);

/*
 * The commit that `ref` names, the value of the option `option` ("--against"): anything that git
 * resolves to a commit, but nothing that it would read as an option. If there is none, the error
 * says how to fetch it.
 */
int repository_resolve(const struct repository *repository, const char *option, const char *ref,
	char commit[GIT_COMMIT_SIZE], struct err *err);

/* "main (1a2b3c4d5e6f)": the commit and how it was named; free() it. */
char *repository_commit_name(const char *ref, const char *commit);

/*
 * The branch that changes are merged into, for git: "origin/main", or "main" where there is no
 * remote; free() it. NULL: none has a usual name.
 */
char *repository_default_branch(void);
/* "main" of "origin/main", within it: the branch that is checked out; other names as they are. */
const char *repository_local_name(const char *branch);

/*
 * Appends to `notes`, and logs, what a comparison of the working tree with `commit` covers: changes
 * that are not committed, and those of a `commit` that is no ancestor. Whole sentences.
 */
void repository_note_differences(const struct repository *repository, const char *ref,
	const char *commit, struct buf *notes);

/*
 * The commits from one to another, as a line: each is the first parent of the next, so that merged
 * commits count as the merge.
 */

/* Author and subject are as committed: not to be trusted. */
struct commit_of_line {
	const char *commit; /* the full name */
	const char *author;
	const char *subject;
	int64_t authored; /* seconds since 1970 */
	size_t nparents;
};

struct commit_line {
	struct arena arena; /* owns the strings */
	struct commit_of_line *commits;
	size_t ncommits; /* 2 or more */
	size_t capacity;
};

/*
 * Reads the line from the commit `good` to `bad`, both included. The commits between them are those
 * of the line of `bad` that `good` does not have; if `good` itself is on another line, that is
 * logged. An error if `good` is no ancestor of `bad`. On error nothing needs releasing.
 */
int commit_line_read(struct commit_line *line, const struct repository *repository,
	const char *good, const char *bad, struct err *err);
void commit_line_release(struct commit_line *line);

/*
 * Files that profile_run itself wrote into the working tree: reports, captures, baselines,
 * histories and its cache. No workload reads them, so that they make no program and no checkout
 * different.
 */

/*
 * Runs git with `args`, whose output is a list of paths, tracked ones or others, and finds the
 * first that is no own output and for which `counts` is true; NULL: any. 1, and *found is its path
 * as git prints it, to free(); 0, and NULL: there is none; -1 and NULL where git cannot tell.
 */
int own_output_find_other(const char *const *args, bool tracked,
	bool (*counts)(const char *path, bool tracked), char **found);

/*
 * The same for all changes of tracked files since `commit`, those of submodules included. *found
 * may be freed always.
 */
int own_output_find_change(
	const char *commit, bool (*counts)(const char *path, bool tracked), char **found);

/*
 * A workload that had another name before, as git knows it: which file had the name, and where that
 * file is now.
 */

/* Paths as seen from here; owned. */
struct workload_rename {
	char *before; /* the workload's file in the commit */
	char *after;  /* the file in the working tree; the same path where only `name` changed */
};

/*
 * The file that has a workload of this name in `commit`, and what that file is now. False where the
 * commit has none, it is not here (a shallow clone), or git does not take any file for the same;
 * nothing needs releasing then.
 */
bool workload_rename_find(struct workload_rename *rename, const char *name, const char *commit);
void workload_rename_release(struct workload_rename *rename);

/*
 * Whether a workload of the working tree has this name, in any folder, tracked by git or not: 1, 0,
 * -1 where that is not known.
 */
int workload_name_is_used(const char *name);

#endif
