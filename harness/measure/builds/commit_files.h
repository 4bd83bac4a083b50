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
#include "process/process.h"

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

/*
 * The lines of the working tree that a commit does not have, by git's diff.
 */

/*
 * Reads git's diff of the working tree from a commit, without lines that differ by white space
 * only, and with so many lines around each change. False where git does not have the commit; the
 * output is to be released in either case. The rest of a larger diff is not read.
 */
bool commit_diff_read(const char *commit, unsigned context_lines, struct tool_output *output);

/* Lines that were added or changed; for lines that were removed, the line above them. */
struct changed_range {
	const char *path; /* in the repository */
	uint32_t first;   /* line numbers from 1, both included */
	uint32_t last;
	bool removed; /* the line itself is unchanged: lines behind it were removed */
};

/* All zeros: none are known. */
struct changed_lines {
	struct arena arena; /* of the paths */
	struct changed_range *ranges;
	size_t count;
	size_t capacity;
};

/* Reads them; none, where git does not have the commit. Lines that differ by white space only are
 * not changed.
 */
void changed_lines_read(struct changed_lines *lines, const char *commit);
void changed_lines_release(struct changed_lines *lines);

bool changed_lines_have(const struct changed_lines *lines, const char *path, uint32_t line);

/* The changed line from `first` to `last` that is nearest to `line`, above it if possible; 0: none.
 */
uint32_t changed_lines_near(const struct changed_lines *lines, const char *path, uint32_t first,
	uint32_t last, uint32_t line);

#endif
