/*
 * The names of drafts: files and folders beside an output that will take its place (file.h).
 *
 * A draft is registered before it exists, so that nothing is missing to remove it: at an error, at
 * a signal that ends the process (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU), when memory
 * is exhausted. While its process lives it is locked. One that is not locked was left by a process
 * that could not remove it (SIGKILL, a crash) and is removed by the next one that makes a draft in
 * the same folder.
 *
 * All names returned are owned by the caller; drafts are made by one thread.
 */
#ifndef BASE_DRAFTS_H
#define BASE_DRAFTS_H

#include <stdbool.h>
#include <sys/types.h>

/* An empty folder that is to become `path`, for its owner only. NULL with errno. */
char *draft_make_folder(const char *path);
/* An empty file, open for writing at *fd, which is the caller's. NULL with errno. */
char *draft_make_file(const char *path, int *fd);
/*
 * A file without a name, which vanishes when the process ends in any way; -1 where the file system
 * does not support it, or where a name could not be given later.
 */
int draft_open_nameless(const char *path);
/* A name for such a file. NULL with errno. */
char *draft_name_file(const char *path, int fd);
/* Makes `path` a symbolic link, in one step in the place of what was there. -1 with errno. */
int draft_link(const char *target, const char *path);

/* The draft `name` has its final name now, or is removed. */
void draft_forget(const char *name);
/* All drafts so far are another process's. */
void draft_forget_all(void);

/* Whether `entry`, a name in a folder, is that of a draft; with `name`, of one that will be `name`.
 */
bool draft_is_name(const char *entry, const char *name);
/* Removes what killed processes have left in the folder. Making a draft there does so, too. */
void draft_sweep(const char *folder);

/*
 * Removes every draft of ours; after it, one may only be abandoned. Async-signal-safe on the main
 * thread.
 */
void draft_remove_all(void);
/*
 * A child that writes to our drafts: before a signal removes them, it is killed and waited for.
 * 0: there is none any more.
 */
void draft_set_writer(pid_t pid);
/*
 * For a handler of a signal: drafts are removed by the main thread only, which may be about to
 * rename one. False: this is another thread, and the main one has been sent the signal.
 */
bool draft_take_signal(int number);

#endif
