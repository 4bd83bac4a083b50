/*
 * Watching which files the processes of a run use: a seccomp filter makes the kernel report each
 * call that executes, opens or maps a file, and a thread of ours notes the file and lets the call
 * go on (seccomp_unotify(2)). It needs no rights and takes some 10 us for each such call. Calls of
 * programs for another kind of processor (32 bits) and of io_uring(7) are not seen.
 */
#ifndef PROCESS_FILE_WATCH_H
#define PROCESS_FILE_WATCH_H

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * The files that the processes of a run executed, mapped as code, read and wrote: what a watched
 * run was seen to use.
 */

/* How a file was used: any of these together. */
enum run_file_use {
	RUN_FILE_EXECUTED = 1, /* by execve(2), as a program, a script or a script's interpreter */
	RUN_FILE_MAPPED = 2,   /* with PROT_EXEC: a shared library, a program's loader excepted */
	RUN_FILE_READ = 4,     /* opened for reading, or for both */
	RUN_FILE_WRITTEN = 8,  /* opened for writing, or for both, or made */
};

/* A plain file that was there when it was used. */
struct run_file {
	const char *path; /* absolute, without links */
	const char *name; /* as it was first named, made absolute, its links not followed */
	const char *by;   /* the program whose process used it first; for the interpreter of a
			     script, the script; "" if not known */
	unsigned uses;    /* of enum run_file_use */
};

/* All zeros: nothing is known. Strings are the arena's. */
struct run_files {
	struct run_file *files; /* in the order of their first use */
	size_t count;
	size_t capacity;
	struct map by_path;
	bool known;    /* the run was watched from its start to its end */
	char why[128]; /* why it is not known: "seccomp(2): Operation not permitted"; else "" */
	struct arena arena;
};

void run_files_release(struct run_files *files);

/* Adds a use of the file; its name and `by` are taken only if the file is new. */
void run_files_add(struct run_files *files, const struct run_file *file);
/* The file of this path, without links; NULL if it was not used. */
const struct run_file *run_files_find(const struct run_files *files, const char *path);

struct seccomp_notif;

/* Adds the files that a reported call uses. */
void run_files_note_call(struct run_files *files, const struct seccomp_notif *call);
/* Files may be missing, because of `why`; the first reason is kept. */
void run_files_doubt(struct run_files *files, const char *why);

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
/* Ends the watch, once all children have ended; `files` gets what was seen, to be released. */
void file_watch_end(struct file_watch *watch, struct run_files *files);

/* For a new child, before its exec: from here on its calls are watched, if they can be. */
void file_watch_join(const struct file_watch *watch);

/*
 * Files of a process that has another root folder or other mounts than we (chroot(2),
 * mount_namespaces(7)): as it names them, and by their paths here. Linux; proc(5).
 */

/* Whether an absolute path may be another file for the process than for us. */
bool other_mounts_has(pid_t tid);

/*
 * A descriptor (O_PATH) of the file that an absolute path names for the process; symbolic links
 * are followed in its root folder. -1 with errno.
 */
int other_mounts_open(pid_t tid, const char *path, int open_flags);

/*
 * Sets `path` to the path, absolute and without links, by which the process's file that `fd` is
 * open on is found here. False, and `path` is unchanged, where no mount of ours has the file.
 */
bool other_mounts_path(pid_t tid, int fd, char path[PATH_MAX]);

#endif
