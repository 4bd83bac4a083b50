/*
 * The last part of a stream of any length, in fixed memory.
 */
#ifndef PROCESS_TAIL_H
#define PROCESS_TAIL_H

#include <stdbool.h>
#include <stddef.h>

#define TAIL_MAX 1023

struct tail {
	char bytes[2 * TAIL_MAX]; /* the last TAIL_MAX of the first `len` are what counts */
	size_t len;
	bool cut; /* there was more ahead of them */
};

void tail_put(struct tail *tail, const char *bytes, size_t len);
/*
 * Copies the tail, terminated, cut to `size` and without trailing newlines; where something is cut
 * at the front, only whole lines are kept if there is more than one.
 */
void tail_text(const struct tail *tail, char *text, size_t size);

#endif
