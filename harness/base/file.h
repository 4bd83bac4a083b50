/*
 * Files and folders: written whole or not at all (file_output.c), made and removed (file_tree.c),
 * and questions about them (file.c) and their paths (file_path.c). They are read by
 * base/file_view.h.
 *
 * An output is first written beside its final place, as a draft (base/draft.h), flushed to disk and
 * then renamed over it, so that a crash or a full disk leaves the old file or none. Drafts that are
 * unfinished when the program ends are removed then, or by the next process.
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
	char *path;      /* its final path; owned */
	char *temp_path; /* its path as a draft; owned; NULL while it has no name */
	bool secret;     /* only its owner may read it; to be set before the commit */
	bool is_lent;    /* see file_lend() */
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

/* Calls write() until all is written; `path` is for the error. */
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
/* The same for a name in an open folder; -1 with errno. Async-signal-safe. */
int file_remove_at(int dir_fd, const char *name);
bool file_exists(const char *path);
bool file_is_dir(const char *path);
/*
 * Sets *at to when the contents of an ordinary file were last written; false for anything else. It
 * is the time of the last status change, since a time of modification can be set (`cp -p`). But a
 * new hard link changes the status too: for a file of several names it is the later one of the
 * times of its birth and its modification.
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
 * Opens an ordinary file for reading; -1 with errno where it is none. What it is is found out
 * before it is opened, since opening a device can do something, and opening a pipe would block; and
 * another file cannot take its place in between.
 */
int file_open_ordinary(const char *path);
/* Whether it is a device or a pipe: these are written to, not replaced by a rename. */
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
 * Whether the folder `path` is missing and the old one is beside it as ".NAME.previous": a process
 * was killed while it replaced the folder in two steps (file systems that cannot exchange two
 * names), or is just doing so.
 */
bool file_dir_is_interrupted(const char *path);
/*
 * Puts the old folder back in that case; removes it where the folder `path` exists. No other
 * process may be replacing the folder meanwhile.
 */
int file_dir_recover(const char *path, struct err *err);
/* Tries whether a folder in `dir` can be made and replaced; nothing is left behind. */
int file_dir_try(const char *dir, struct err *err);

/*
 * Scratch folders.
 */

/*
 * Makes a folder for temporary files below TMPDIR (or /tmp), for this user only; file_dir_abandon()
 * removes it. Removes those that killed processes left there. An error where others could rename
 * it.
 */
int file_dir_scratch(char **temp_path, struct err *err);
/* The same below `dir`. */
int file_dir_scratch_in(const char *dir, char **temp_path, struct err *err);

/*
 * Outputs lent to another process.
 */

/*
 * For a process that may not open files for writing: its one output is a draft of the process that
 * started it, which commits it later. In this process file_draft_open() and file_output_open() of
 * `path` write to `fd`, or file_dir_draft() gives `temp_path`; the commit only sets *committed.
 * Everything is borrowed for ever. Drafts that existed before are the other process's.
 */
struct file_lent {
	const char *path;
	int fd;
	const char *temp_path;
	bool *committed;
};

void file_lend(const struct file_lent *lent);

/*
 * Paths.
 */

/* "a/b" from "a" and "b"; free() it. */
char *file_join(const char *dir, const char *name);
/* The last part of a path; borrowed from it. */
const char *file_basename(const char *path);
/*
 * "a/b" of "/folder/a/b": the part of a path that is below the folder, by their texts; NULL if it
 * is not below it, and for a folder of "" or NULL. Borrowed from the path.
 */
const char *file_path_below(const char *path, const char *folder);
/* The part of an absolute path that is below the current folder; else all of it. Borrowed. */
const char *file_path_from_here(const char *path);
/*
 * From the absolute folder `from` to the absolute path `to`, both without links, "." and "..":
 * "../reports/x", "." if they are the same. For links between files that are moved together;
 * free() it.
 */
char *file_relative_path(const char *from, const char *to);

#endif
