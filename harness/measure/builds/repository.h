/*
 * The git repository that profile_run was started in, and the commits that are named there.
 */
#ifndef BUILDS_REPOSITORY_H
#define BUILDS_REPOSITORY_H

#include "base/buf.h"
#include "base/err.h"
#include "builds/git.h"

#include <stdbool.h>

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

#endif
