/*
 * The folder of a repository's worktrees in the user's cache (worktree.h says what is in it).
 */
#ifndef BUILDS_WORKTREE_CACHE_H
#define BUILDS_WORKTREE_CACHE_H

#include "base/err.h"
#include "builds/repository.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The folder, made if need be; free() it. Programs are run from it: it is an error if it is another
 * user's or if others may write there.
 */
char *worktree_cache_folder(const struct repository *repository, struct err *err);

/* FOLDER/COMMIT and what is appended to it: "", ".builds", ".in_use"; free() it. */
char *worktree_cache_path(const char *folder, const char *commit, const char *part);

/*
 * Locks the file at `path`, made if need be, for as long as the descriptor is open. Waits as long
 * as a build may take, and says on the log that it does: `what` is done by the other one. -1 on an
 * error and on an interruption.
 */
int worktree_cache_lock(const char *path, const char *what, struct err *err);

/* Removes the worktree and all that is known of it; git forgets it. Its lock file stays. */
int worktree_cache_remove(const char *folder, const char *commit, struct err *err);

/* Removes all but the `kept` that were used last; those in use stay. Under the folder's lock. */
void worktree_cache_prune(const char *folder, size_t kept);

/* Whether PROFILE_RUN_NO_CACHE says that nothing of before is to be used. */
bool worktree_cache_is_off(void);

#endif
