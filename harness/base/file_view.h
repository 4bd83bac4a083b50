/*
 * Reading a file, or standard input ("-"): whole into a buf, or as a view, which is one range of
 * memory, whole or while more data arrives.
 *
 * A view of an ordinary file is mapped. Data from a pipe is read into reserved address space, so
 * that nothing moves while more arrives. A reader that makes a single pass calls file_view_done()
 * for the part that it has read, so that only a window of the file takes memory.
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
	size_t len;       /* after file_view_open_stream() of a pipe: only the first bytes */
	bool mapped;
	int guard;                  /* of a mapped file: its number of file_guard_watch() */
	struct file_stream *stream; /* of a file that is read, not mapped; else NULL */
};

/* Opens a view of the whole file. */
int file_view_open(struct file_view *view, const char *path, struct err *err);
/* The same, but of a pipe only the first bytes: 64 KiB, or all if it has fewer. */
int file_view_open_stream(struct file_view *view, const char *path, struct err *err);
/* Reads the rest of a stream: the view is then whole. */
int file_view_read_all(struct file_view *view, struct err *err);
void file_view_close(struct file_view *view);
/*
 * Whether the mapped file has become shorter and the view was read behind its new end. Zeros were
 * read there, so that any result is wrong.
 */
bool file_view_was_cut(const struct file_view *view);

/*
 * Waits until more than *len bytes of the view can be read, of a pipe too. Returns 1 and sets *len,
 * 0 at the end of the file, -1 on an error. `data` stays where it is.
 */
int file_view_more(const struct file_view *view, size_t *len, struct err *err);
/*
 * Bytes `from` to `to` are no longer needed: their memory is released, in whole pages. Those of a
 * mapped file can still be read; those of a pipe are gone, and read as zeros.
 */
void file_view_done(const struct file_view *view, size_t from, size_t to);

#endif
