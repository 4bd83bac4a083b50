/*
 * The last part of a stream of any length, kept in fixed memory: the output of a program for a
 * message about it.
 */
#ifndef PROCESS_LAST_OUTPUT_H
#define PROCESS_LAST_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#define LAST_OUTPUT_MAX 1023

/* All zeros: nothing was written yet. */
struct last_output {
	char bytes[2 *
		   LAST_OUTPUT_MAX]; /* the first `len`; the last LAST_OUTPUT_MAX of them count */
	size_t len;
	bool cut; /* there was more ahead of them */
};

/* Adds the next bytes of the stream. */
void last_output_put(struct last_output *last, const char *bytes, size_t len);
/*
 * Copies it, terminated, cut to `size` and without trailing newlines; where something is cut
 * at the front, only whole lines are kept if there is more than one.
 */
void last_output_text(const struct last_output *last, char *text, size_t size);

#endif
