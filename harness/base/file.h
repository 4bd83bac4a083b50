/*
 * Files: written whole or not at all, folders made, moved and removed (file.c, file_draft.c). They
 * are read by file_view.h.
 *
 * In order: writing files; folders, and questions about files; folders that are replaced as a
 * whole; scratch folders; outputs lent to another process; drafts; paths.
 *
 * Everything that is written is first written beside its final place, flushed to disk and then
 * renamed over it, so that a crash or a full disk leaves the old file or none. What is still
 * unfinished when the program ends is removed then, or by the next one (see "Drafts" below).
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/file_view.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

/*
 * Writing files.
 */

/* Writes `path` whole or not at all; "-" is standard output. */
int file_write(const char *path, const void *bytes, size_t len, struct err *err);

/*
 * An unfinished file that is too large for memory: write to `fd`, then file_commit(), or
 * file_abandon() at any time before. Not for "-". Where the file system supports it, it has no name
 * until then: a killed process leaves nothing behind.
 */
struct file_draft {
	int fd;
	char *path;      /* where it will be; owned */
	char *temp_path; /* where it is; owned; NULL while it has no name */
	bool secret;     /* only its owner may read it; to be set before the commit */
	bool is_lent;    /* by file_lend() */
};

int file_draft_open(struct file_draft *draft, const char *path, struct err *err);
int file_commit(struct file_draft *draft, struct err *err);
/* Without flushing to disk: for files that may be lost in a crash of the machine. */
int file_commit_unflushed(struct file_draft *draft, struct err *err);
void file_abandon(struct file_draft *draft);

/*
 * As file_write(), in pieces: file_output_put() each, then file_output_commit(), or
 * file_output_abandon() at any time before. Standard output, a device or a pipe gets each piece at
 * once.
 */
struct file_output {
	int fd;
	const char *name;        /* for messages; the path is borrowed until the end */
	struct file_draft draft; /* for an ordinary file; else its path is NULL */
};

int file_output_open(struct file_output *output, const char *path, struct err *err);
int file_output_put(struct file_output *output, const void *bytes, size_t len, struct err *err);
int file_output_commit(struct file_output *output, struct err *err);
void file_output_abandon(struct file_output *output);

/* write() until all is written. */
int file_put(int fd, const void *bytes, size_t len, const char *path, struct err *err);
/* The same by writev(), for at most 1024 pieces. */
int file_put_pieces(
	int fd, const struct iovec *pieces, size_t npieces, const char *path, struct err *err);

/*
 * Folders, and questions about files.
 */

/* Makes the folder and those above it, as needed. */
int file_make_dirs(const char *path, struct err *err);
/* Removes a file or a folder with everything below it; a missing one is no error. */
int file_remove_tree(const char *path, struct err *err);
/* The same of a name in an open folder; -1 with errno. Async-signal-safe. */
int file_remove_at(int dir_fd, const char *name);
bool file_exists(const char *path);
bool file_is_dir(const char *path);
/*
 * When the contents were last written, as far as times tell; false of anything but an ordinary
 * file. That is the change of the status: a time of modification can be set (`cp -p`). But a new
 * hard link changes the status too, so for a file of several names it is the later of its birth and
 * its modification.
 */
bool file_written_at(const char *path, struct timespec *at);

static inline bool
file_time_is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* Whether both names lead to one file, or folder. */
bool file_is_same(const char *path, const char *other);
/*
 * Opens an ordinary file to be read; -1 with errno where it is none. It is looked at before it is
 * opened, and what was looked at is what is opened: opening a device can do something, and a pipe
 * would block.
 */
int file_open_ordinary(const char *path);
/* A device or a pipe, which cannot be replaced by a rename, and need not be. */
bool file_is_special(const char *path);

/*
 * Folders that are replaced as a whole.
 */

/*
 * An empty folder beside `path` (same file system) that is to become `path`, and until then its
 * owner's only: fill it, then file_dir_commit() puts it there in one step, exchanging it with what
 * was there before, or file_dir_abandon() removes it. *temp_path is owned by the caller and freed
 * by either call.
 */
int file_dir_draft(const char *path, char **temp_path, struct err *err);
int file_dir_commit(char *temp_path, const char *path, struct err *err);
void file_dir_abandon(char *temp_path);
/*
 * Whether a process was killed while it replaced the folder `path` where that takes two steps: then
 * there is none, and the old one is beside it as ".NAME.previous". Or it is just doing so.
 */
bool file_dir_is_interrupted(const char *path);
/*
 * Puts the old folder back in that case, or removes it where `path` is there; no other process may
 * be replacing it.
 */
int file_dir_recover(const char *path, struct err *err);
/* Whether folders in `dir` can be replaced: it is tried, and leaves nothing behind. */
int file_dir_try(const char *dir, struct err *err);

/*
 * Scratch folders.
 */

/*
 * A scratch folder of ours only below TMPDIR (or /tmp), ended by file_dir_abandon(). Those there
 * that no living process has are removed. An error where others could rename it.
 */
int file_dir_scratch(char **temp_path, struct err *err);
/* The same below `dir`. */
int file_dir_scratch_in(const char *dir, char **temp_path, struct err *err);

/*
 * Outputs lent to another process.
 */

/*
 * For a process that may not open files for writing: one output is a draft of the process that
 * started it, which commits it later. Until then, file_draft_open() or file_output_open() of `path`
 * writes to `fd`, or file_dir_draft() of it gives `temp_path`; the commit sets *committed.
 * Everything is borrowed for ever. Drafts that were there before are the other process's.
 */
struct file_lent {
	const char *path;
	int fd;
	const char *temp_path;
	bool *committed;
};

void file_lend(const struct file_lent *lent);

/*
 * Drafts: files and folders beside an output that will take its place. All are removed at an error,
 * at a signal that ends the process (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU) and when
 * memory is exhausted; those of a process that was killed by the next one that makes a draft in the
 * same folder. They are made by one thread.
 */

/*
 * Removes every draft of ours; after it, one may only be abandoned. Async-signal-safe on the main
 * thread.
 */
void draft_remove_all(void);
/* Removes what killed processes have left in the folder. Making a draft there does so, too. */
void draft_sweep(const char *folder);
/* Whether `entry`, a name in a folder, is that of a draft; with `name`, of one that will be `name`.
 */
bool draft_is_name(const char *entry, const char *name);
/* Makes `path` a symbolic link, in one step in the place of what was there. -1 with errno. */
int draft_link(const char *target, const char *path);
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

/*
 * Paths.
 */

/* "a/b" from "a" and "b"; free() it. */
char *file_join(const char *dir, const char *name);
/* The last part of a path; borrowed from it. */
const char *file_basename(const char *path);
/*
 * From the absolute folder `from` to the absolute path `to`, both without links, "." and "..":
 * "../reports/x", "." if they are the same. For links between files that are moved together;
 * free() it.
 */
char *file_relative_path(const char *from, const char *to);

#endif
