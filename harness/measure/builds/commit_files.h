/*
 * A commit's files, read independently of the working tree (so a policy is read that a pull request
 * cannot change), and the lines in which the working tree differs from them.
 */
#ifndef BUILDS_COMMIT_FILES_H
#define BUILDS_COMMIT_FILES_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "builds/repository.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct commit_files {
	struct repository repository;
	char *ref; /* as it was named; owned */
	char commit[GIT_COMMIT_SIZE];
	struct arena arena; /* of names */
};

/* `ref` is the value of `option`. On error nothing needs releasing. */
int commit_files_open(
	struct commit_files *files, const char *option, const char *ref, struct err *err);
void commit_files_close(struct commit_files *files);

/* "main:config/profile_run.yaml", for messages; the arena's. */
const char *commit_files_name(struct commit_files *files, const char *path);

/*
 * Appends the contents of `path`, relative to the current folder. It is found in the commit's own
 * folders, through the commit's own symbolic links, and no link of the working tree is followed.
 * *found is false, and there is no error, where the commit has no such path. Errors are a path that
 * is no ordinary file, more than `limit_bytes`, a link that leads to nothing or out of the commit,
 * a path through a submodule, and one outside of the repository.
 */
int commit_files_read(struct commit_files *files, const char *path, size_t limit_bytes,
	struct buf *out, bool *found, struct err *err);

/*
 * The names of the ordinary files and of the symbolic links in `folder`, found likewise; sorted by
 * bytes, NULL-ended; the arena's. None where the commit has no such folder.
 */
int commit_files_list(
	struct commit_files *files, const char *folder, const char *const **names, struct err *err);

enum commit_path {
	COMMIT_PATH_NONE,
	COMMIT_PATH_FILE,
	COMMIT_PATH_FOLDER,
	COMMIT_PATH_SUBMODULE,
};

/* Finds `path` likewise, and says what is there. */
int commit_files_find(const struct commit_files *files, const char *path, enum commit_path *kind,
	struct err *err);

/*
 * Calls `visit` for every file and symbolic link of the commit, with its path from the top of the
 * repository, until it does not return 0; returns what it returned. -1 on error, also of `visit`.
 */
typedef int (*commit_files_visit)(void *context, const char *path, bool is_link, struct err *err);
int commit_files_each(
	const struct commit_files *files, commit_files_visit visit, void *context, struct err *err);

#endif
