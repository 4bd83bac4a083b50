/*
 * Sharing stack copies: a sample whose stack copy mostly repeats an earlier one of its thread is
 * written as the new part and references to the earlier copy.
 *
 * Between two samples of a thread most of its stack stays as it is, and writing it again costs more
 * than all else we do for a sample: a page of the page cache for every 4 KiB, which a virtual
 * machine may have to get from its host first. So each copy is compared with an earlier one of the
 * same thread, address by address, and is written as a reference to it where that is much shorter
 * (struct shared_stack of perfdata/format.h). A copy that is referred to was itself written whole.
 */
#ifndef PERF_EVENT_SHARE_H
#define PERF_EVENT_SHARE_H

#include "perf_event/trim.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/* The stack copies that were written whole: later samples refer to them. */
struct share;

/* Threads whose stacks are remembered; the least recently seen one is replaced. */
#define SHARE_THREADS 32

struct share *share_new(void);
void share_free(struct share *share);

/* A record in memory of struct share, valid until the next call; NULL and 0: none. */
struct share_record {
	const void *bytes;
	size_t len;
};

/* A sample on its way to the file. */
struct share_sample {
	const struct ring *ring;
	uint64_t at;                /* its position in the buffer's stream */
	const struct trim_cut *cut; /* as trim_find() found it */
	uint64_t position;          /* where its record will be in the file */
	const struct perf_event_attr *attr;
};

/* The record to write in place of a sample; none: the sample is to be written whole. */
struct share_record share_put(struct share *share, const struct share_sample *sample);

#endif
