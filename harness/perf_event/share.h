/*
 * Part of ring_drain.c: samples whose stack copies are written as what is new in them.
 *
 * Between two samples of a thread most of its stack stays as it is, and writing it again costs more
 * than all else we do for a sample: a page of the page cache for every 4 KiB, which a virtual
 * machine may have to get from its host first. So each copy is held against an earlier one of the
 * same thread, address by address, and is written as a reference to it where that is much shorter
 * (struct shared_stack of perfdata/format.h). What is referred to was itself written whole.
 */
#ifndef PERF_EVENT_SHARE_H
#define PERF_EVENT_SHARE_H

#include "perf_event/ring.h"
#include "perf_event/trim.h"

#include <stddef.h>
#include <stdint.h>

/* Threads whose stacks are remembered; others take the place of those not seen for longest. */
#define SHARE_THREADS 32

struct share;

struct share *share_new(void);
void share_free(struct share *share);

/* A record in memory of struct share's own, there until the next call; NULL and 0: none. */
struct share_record {
	const void *bytes;
	size_t len;
};

/* A sample on its way to the file. */
struct share_sample {
	const struct ring *ring;
	uint64_t at;                /* where it is in the buffer's stream */
	const struct trim_cut *cut; /* as trim_find() found it */
	uint64_t position;          /* where its record will be in the file */
	const struct perf_event_attr *attr;
};

/* What is to be written instead of a sample; none: it is to be written whole, as it is cut. */
struct share_record share_put(struct share *share, const struct share_sample *sample);

#endif
