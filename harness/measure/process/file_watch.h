/*
 * Watching which files the processes of a run use: a seccomp filter makes the kernel report each
 * call that executes, opens or maps a file, and a thread of ours notes the file and lets the call
 * go on (seccomp_unotify(2)). It needs no rights and takes some 10 us for each such call. Calls of
 * programs for another kind of processor (32 bits) and of io_uring(7) are not seen.
 */
#ifndef PROCESS_FILE_WATCH_H
#define PROCESS_FILE_WATCH_H

#include "base/err.h"
#include "process/run_files.h"

struct file_watch;

/*
 * Begins: children that are started with this watch (struct child_spec), and all that they start,
 * are watched. NULL where there can be no thread.
 */
struct file_watch *file_watch_begin(struct err *err);
/* Ends the watch, once all children have ended; `files` gets what was seen, to be released. */
void file_watch_end(struct file_watch *watch, struct run_files *files);

/* For a new child, before its exec: from here on its calls are watched, if they can be. */
void file_watch_join(const struct file_watch *watch);

#endif
