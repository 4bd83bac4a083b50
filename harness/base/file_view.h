/*
 * A file's contents, read whole into a buf (file_read()), or as one range of memory (file_view),
 * whole or while it arrives.
 *
 * For a view, files are mapped. Data from a pipe is read into reserved address space, so that
 * nothing moves while more arrives. A reader that makes a single pass calls file_view_done() for
 * the part it has read, so that only a window of the file takes memory.
 */
#ifndef BASE_FILE_VIEW_H
#define BASE_FILE_VIEW_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Appends the file's contents to `out`; more than `limit_bytes` is an error. */
int file_read(const char *path, struct buf *out, size_t limit_bytes, struct err *err);

/* The same of an open file; `path` names it in messages. */
int file_read_open(int fd, const char *path, struct buf *out, size_t limit_bytes, struct err *err);

struct file_stream;

struct file_view {
	const char *data; /* `len` bytes, not terminated; "" when empty */
	size_t len;       /* of a stream: the bytes read when it was opened */
	bool mapped;
	int guard;                  /* of a mapped file: its number in the guard */
	struct file_stream *stream; /* the rest, not yet read; NULL: none */
};

/* The whole file. */
int file_view_open(struct file_view *view, const char *path, struct err *err);
/* The same, but of a pipe only the first bytes: 64 KiB, or all if it has fewer. */
int file_view_open_stream(struct file_view *view, const char *path, struct err *err);
/* Reads the rest of a stream: the view is then whole. */
int file_view_read_all(struct file_view *view, struct err *err);
void file_view_close(struct file_view *view);
/*
 * Whether the file has become shorter and was read behind its end: as zeros, so that nothing made
 * of it means anything.
 */
bool file_view_was_cut(const struct file_view *view);

/*
 * Waits for more than the *len bytes that are there. Returns 1 and the new *len, 0 at the end, -1
 * on an error. `data` stays where it is.
 */
int file_view_more(const struct file_view *view, size_t *len, struct err *err);
/*
 * Bytes `from` to `to` are no longer needed: their memory is released, in whole pages. Those of a
 * mapped file can still be read; those of a pipe are gone, and read as zeros.
 */
void file_view_done(const struct file_view *view, size_t from, size_t to);

/*
 * Files that become shorter while they are mapped: the kernel sends SIGBUS to whoever reads behind
 * their new end. The guard gives such a reader zeros instead, and remembers it, so that the file
 * can be refused in words.
 */

/* From now on; once in a process, before other threads are started. */
void file_guard_begin(void);

/* Whether any file that is not watched was read behind its end: programs and debug files. */
bool file_guard_any(void);

#endif
