/*
 * Files: read whole (or mapped: file_view.h), written whole or not at all, folders made, moved and
 * removed.
 *
 * Everything that is written is first written beside its final place, flushed to disk and then
 * renamed over it, so that a crash or a full disk leaves the old file or none. What is still
 * unfinished when the program ends is removed then, or by the next one (drafts.h).
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/file_view.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>
#include <time.h>

/* Appends the file's contents to `out`; more than `limit_bytes` is an error. */
int file_read(const char *path, struct buf *out, size_t limit_bytes, struct err *err);

/* The same of an open file; `path` names it in messages. */
int file_read_open(int fd, const char *path, struct buf *out, size_t limit_bytes, struct err *err);

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
bool file_time_is_before(const struct timespec *a, const struct timespec *b);
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
/*
 * A scratch folder of ours only below TMPDIR (or /tmp), ended by file_dir_abandon(). Those there
 * that no living process has are removed. An error where others could rename it.
 */
int file_dir_scratch(char **temp_path, struct err *err);
/* The same below `dir`. */
int file_dir_scratch_in(const char *dir, char **temp_path, struct err *err);
/* Whether folders in `dir` can be replaced: it is tried, and leaves nothing behind. */
int file_dir_try(const char *dir, struct err *err);

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

/* "a/b" from "a" and "b"; free() it. */
char *file_join(const char *dir, const char *name);
/* The last part of a path; borrowed from it. */
const char *file_basename(const char *path);

/*
 * Locks between processes: flock(2) on a file or a folder, released when its descriptor is closed
 * or the process ends, however it ends.
 */

/* How to wait for a lock that another process holds. All zeros: not at all. */
struct lock_wait {
	unsigned seconds; /* then it is an error */
	const char *what; /* what the holder is doing, to be logged; NULL: nothing is logged */
	/* Called while waiting; -1 and an error end it. May be NULL. */
	int (*check)(struct err *err);
};

/*
 * Locks the file at `path`, made for this user alone if it is not there; a symbolic link is an
 * error. Returns a descriptor to be closed, -1 on error.
 */
int lock_file(const char *path, const struct lock_wait *wait, struct err *err);
/*
 * The same for a folder, without creating a file in it. NFS cannot lock a folder: there its file
 * `instead` is locked, which all users may share; if NULL, it is an error.
 */
int lock_dir(const char *path, const char *instead, const struct lock_wait *wait, struct err *err);

/* Whether the open `fd` could be locked at once. */
bool lock_try(int fd);

#endif
