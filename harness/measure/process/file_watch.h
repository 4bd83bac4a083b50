/*
 * Watching which files the processes of a run use: a seccomp filter makes the kernel tell us of
 * each call that executes, opens or maps a file, and a thread of ours notes it and lets it go on
 * (seccomp_unotify(2)). It needs no rights and takes some 10 us for each such call. Calls of
 * programs for another kind of processor (32 bits) and of io_uring(7) are not seen.
 */
#ifndef PROCESS_FILE_WATCH_H
#define PROCESS_FILE_WATCH_H

#include "base/err.h"
#include "process/run_files.h"

/*
 * Putting a seccomp filter on the calling process, with or without rights.
 */

struct sock_fprog;

/*
 * As seccomp(2), SECCOMP_SET_MODE_FILTER. Without rights the process promises first that it will
 * gain none (PR_SET_NO_NEW_PRIVS). -1 with errno where that is refused.
 */
int seccomp_filter_set(const struct sock_fprog *program, unsigned flags);

struct file_watch;

/*
 * Begins: children that are started with this watch (struct child_spec), and all that they start,
 * are watched. NULL where there can be no thread.
 */
struct file_watch *file_watch_begin(struct err *err);
/* Ends it, once all children have ended; `files` gets what was seen, to be released. */
void file_watch_end(struct file_watch *watch, struct run_files *files);

/* For a new child, before its exec: from here on its calls are watched, if they can be. */
void file_watch_join(const struct file_watch *watch);

#endif
