/*
 * Makes ordinary samples of those whose stack copies are in part those of earlier records (struct
 * shared_stack). Part of the reader.
 */
#ifndef PERFDATA_SHARED_H
#define PERFDATA_SHARED_H

#include <stddef.h>
#include <stdint.h>

struct shared_samples;

struct shared_samples *shared_samples_new(void);
void shared_samples_free(struct shared_samples *samples);

/*
 * The sample that the record `at` stands for; the size in its header has been checked. What it
 * refers to lies between `first` and itself. It is there until PERFDATA_KEPT more were asked for.
 * NULL and `problem`, a phrase for a message, if it is broken.
 */
const char *shared_samples_expand(
	struct shared_samples *samples, const char *at, const char *first, const char **problem);

#endif
