/*
 * The folder of a repository's worktrees (worktree.h) in the user's cache: its files and locks, and
 * which worktrees are kept.
 */
#ifndef BUILDS_WORKTREE_CACHE_H
#define BUILDS_WORKTREE_CACHE_H

#include "base/err.h"
#include "builds/repository.h"

#include <stdbool.h>
#include <stddef.h>

/* Worktrees of a repository that are kept, in addition to those in use. */
#define WORKTREES_KEPT 5

/* Digits of a hash in the name of a folder or a worktree. */
#define WORKTREE_HASH_DIGITS 12

/* Whether the variable PROFILE_RUN_NO_CACHE forbids using earlier worktrees and builds. */
bool worktree_cache_is_off(void);

/*
 * The folder of a repository's worktrees, made if need be; free() it. Programs
 * are run from it: it is an error if it is another user's or if others may write there.
 */
char *worktree_cache_folder(const struct repository *repository, struct err *err);

/* FOLDER/NAME and what is appended to it: "", ".builds", ".in_use"; free() it. */
char *worktree_cache_path(const char *folder, const char *name, const char *part);

/*
 * Locks the file at `path`, made if need be, for as long as the descriptor is open. Waits as long
 * as a build may take and logs it; `what` describes what the holder of the lock does. -1 on an
 * error and on an interruption.
 */
int worktree_cache_lock(const char *path, const char *what, struct err *err);

/* Removes the worktree, its notes and git's record of it. Its lock file stays. */
int worktree_cache_remove(const char *folder, const char *name, struct err *err);

/* Removes all but the `kept` that were used last; those in use stay. Under the folder's lock. */
void worktree_cache_prune(const char *folder, size_t kept);

#endif
