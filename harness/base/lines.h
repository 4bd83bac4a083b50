/*
 * A text file, line by line, however large it is and while it still arrives.
 */
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include "base/err.h"
#include "base/file_view.h"

#include <stddef.h>

struct lines {
	const struct file_view *view;
	const char *at;       /* the next line's first byte */
	const char *end;      /* of the bytes that have arrived */
	unsigned number;      /* of the line taken last; counts from 1 */
	const char *released; /* the memory before this was given back */
};

/*
 * A line, without its end, "\n" or "\r\n", and without a byte order mark ahead of it; not
 * terminated.
 */
struct line {
	const char *at;
	size_t len;
};

void lines_init(struct lines *lines, const struct file_view *view);
/* Takes the next line. Returns 1, 0 at the end of the file, -1 if it cannot be read. */
int lines_next(struct lines *lines, struct line *line, struct err *err);
/* The text before `at` is no longer needed: its memory is released from time to time. */
void lines_done(struct lines *lines, const char *at);

/* Byte `at` of the line taken last, for an error. */
struct location lines_location(
	const struct lines *lines, const char *file, struct line line, const char *at);

#endif
