/*
 * A commit of the repository checked out beside it, and kept for the next time.
 *
 * Below ${XDG_CACHE_HOME:-$HOME/.cache}/profile_run/worktrees/ each repository has a folder, named
 * by a hash of where its .git is, and in it, for each commit and each toolchain (NAME is
 * COMMIT-HASH, the hash that of toolchain_hash()):
 *
 *     NAME/           the worktree, made by `git worktree add`
 *     NAME.builds/    the steps done in it: `made`, and a file for each build; `programs`, which
 *                     these made; `links` to files outside git; and the lock of building
 *     NAME.in_use     locked (shared) by every profile_run that uses it; its time is the last use
 *
 * and `lock`, under which all of this is made, looked at and removed. The latest used are kept.
 */
#ifndef BUILDS_WORKTREE_H
#define BUILDS_WORKTREE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/sha256.h"
#include "builds/repository.h"

#include <stdbool.h>
#include <stddef.h>

/* Worktrees of a repository that are kept, in addition to those in use. */
#define WORKTREES_KEPT 5

struct worktree {
	char *path;    /* where the commit is checked out */
	char *builds;  /* the folder beside it */
	int in_use;    /* the lock on NAME.in_use */
	bool whole;    /* complete with submodules: builds can be kept */
	char *changed; /* why the earlier build was not used, a sentence; NULL: it was used, or
			  there was none */
};

/*
 * The worktree of `commit` for the compilers and the environment of now: the existing one, if its
 * files are unchanged from the commit and its programs from their build, else made anew; with
 * `anew` in any case. It is not removed or made anew by others until worktree_close(). Submodules
 * that are in use in the repository are checked out as well; one that cannot be is a warning.
 */
int worktree_open(struct worktree *worktree, const struct repository *repository,
	const char *commit, bool anew, struct err *err);
void worktree_close(struct worktree *worktree);

/* Whether `name` (a file name) was noted as done in it. Never, with PROFILE_RUN_NO_CACHE set. */
bool worktree_has_done(const struct worktree *worktree, const char *name);
int worktree_note_done(const struct worktree *worktree, const char *name, struct err *err);
/* Removes that note. */
void worktree_forget(const struct worktree *worktree, const char *name);
/* Makes worktree_open() make it anew the next time: its builds changed files outside of it. */
void worktree_spoil(const struct worktree *worktree);
/* Notes all files that are in it, once they are built (worktree_files.c). */
int worktree_note_programs(const struct worktree *worktree, struct err *err);
/*
 * How its files differ from those that were noted: "'bench' was changed"; free() it. NULL: they do
 * not. Files that were added are removed (worktree_files.c).
 */
char *worktree_changed_program(const struct worktree *worktree);

/*
 * Waits until no other process builds in it. Returns a descriptor to close when that is done; -1 on
 * an error and on an interruption.
 */
int worktree_lock_builds(const struct worktree *worktree, struct err *err);

/*
 * Makes `path`, below worktree->path, a link to the file `target` (worktree_files.c), in the place
 * of a file that is there, until the worktree is opened again. Nothing is done where the path leads
 * there anyway. Under the lock of builds.
 */
int worktree_link(
	const struct worktree *worktree, const char *target, const char *path, struct err *err);
/* Removes all of these links, and restores the commit's files. */
void worktree_unlink_all(const struct worktree *worktree);

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

/* Removes all but the `kept` that were used last; those in use stay. Under the folder's lock. */
void worktree_cache_prune(const char *folder, size_t kept);

#endif
