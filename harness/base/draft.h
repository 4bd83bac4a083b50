/*
 * Drafts: files and folders that are made beside an output and will take its place, so that it is
 * there whole or not at all. They are used through the outputs of base/file.h.
 *
 * All drafts of a process are removed at an error, at a signal that ends the process (SIGINT,
 * SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU) and when memory is exhausted. A draft is locked while
 * its process lives. One that is not was left by a process that could not remove it (SIGKILL, a
 * crash): the next process that makes a draft in the same folder removes it. Drafts are made by one
 * thread.
 */
#ifndef BASE_DRAFT_H
#define BASE_DRAFT_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Making drafts. Each returns the path of the draft, which the caller frees; NULL with errno.
 */

/* An empty folder that is to become `path`, for its owner only. */
char *draft_make_folder(const char *path);
/* An empty file, open for writing at *fd, which is the caller's. */
char *draft_make_file(const char *path, int *fd);
/*
 * Opens a file without a name in the folder of `path`, which vanishes when the process ends in any
 * way; draft_name_file() gives it a name. -1 where the file system does not support this.
 */
int draft_open_nameless(const char *path);
char *draft_name_file(const char *path, int fd);

/* The draft at `name` has its final name now, or is removed. */
void draft_forget(const char *name);
/* All drafts so far are those of the process that started this one. */
void draft_forget_all(void);

/* Makes `path` a symbolic link, in one step in the place of what was there. -1 with errno. */
int draft_link(const char *target, const char *path);

/*
 * Removing drafts.
 */

/*
 * Removes every draft of this process; afterwards they may only be abandoned. Async-signal-safe on
 * the main thread.
 */
void draft_remove_all(void);
/* Removes the drafts that killed processes have left in the folder. Making a draft does so, too. */
void draft_sweep(const char *folder);
/*
 * Whether `entry`, a name in a folder, is that of a draft; where `name` is not NULL, of a draft
 * that will be called `name`.
 */
bool draft_is_name(const char *entry, const char *name);
/*
 * Before a signal removes the drafts, this child, which writes to them, is killed and waited for.
 * 0: there is no such child any more.
 */
void draft_set_writer(pid_t pid);
/*
 * For a signal handler: only the main thread removes drafts, since it may be about to rename one.
 * False where this is another thread: then the signal has been sent to the main thread.
 */
bool draft_take_signal(int number);

#endif
