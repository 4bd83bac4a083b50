/*
 * The parts of taking records out of a buffer: samples are trimmed, written in part as references
 * to earlier ones, and gathered into few writes. Internal to ring_drain.c and share.c.
 */
#ifndef PERF_EVENT_RING_INTERNAL_H
#define PERF_EVENT_RING_INTERNAL_H

#include "base/err.h"
#include "perf_event/ring.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/*
 * Trims the copies of the user's stack in samples to their valid part.
 *
 * The kernel gives every copy the requested size, though the stack may end long before it, and
 * leaves garbage in the rest. A record states its own size and that of its copy, so that every
 * reader accepts a shorter one.
 *
 * Source: linux/perf_event.h, the comments at PERF_RECORD_SAMPLE.
 */

/* The shortened sample: its head, the size of the copy, the copy, its valid size. */
struct trim_cut {
	size_t head_bytes;  /* up to the size of the copy, the record's header included */
	size_t copy_bytes;  /* what is left of the copy, rounded up to a multiple of 8 */
	size_t valid_bytes; /* the valid ones among them */
	uint16_t size;      /* of the whole record */
};

/*
 * Whether the sample at position `at` of the buffer has a stack copy, and its parts when cut.
 * `attr` is what it was sampled by. Where copy_bytes is 0, the record ends with the size of the
 * copy.
 */
bool trim_find(const struct ring *ring, uint64_t at, const struct perf_event_attr *attr,
	struct trim_cut *cut);

/*
 * Records on their way from the buffer to a sink, in as few pieces as
 * possible and without being copied, but for the heads of trimmed samples.
 *
 * The kernel does not allow writes to the buffer (perf_mmap_fault() in kernel/events/core.c):
 * changed parts of records are in our own memory.
 */

/* One write takes at most 1024 (IOV_MAX). */
#define GATHER_PIECES 256
#define GATHER_BYTES 16384

struct gather {
	const struct ring *ring;
	ring_sink sink;
	void *context; /* for it */
	struct iovec pieces[GATHER_PIECES];
	size_t npieces;
	unsigned char bytes[GATHER_BYTES]; /* the changed parts */
	size_t nbytes;
	uint64_t put_bytes; /* forwarded, or gathered here */
};

/* Adds `bytes` of the buffer at stream position `at`. -1 if the sink fails. */
int gather_put(struct gather *gather, uint64_t at, size_t bytes, struct err *err);
/* Adds the sample there, cut. */
int gather_put_cut(struct gather *gather, uint64_t at, const struct trim_cut *cut, struct err *err);
/* Forwards everything gathered. */
int gather_flush(struct gather *gather, struct err *err);

/*
 * Samples of which only the new part of the stack copy is written.
 *
 * Between two samples of a thread most of its stack stays as it is, and writing it again costs more
 * than all else we do for a sample: a page of the page cache for every 4 KiB, which a virtual
 * machine may have to get from its host first. So each copy is compared with an earlier one of the
 * same thread, address by address, and is written as a reference to it where that is much shorter
 * (struct shared_stack of perfdata/format.h). A copy that is referred to was itself written whole.
 */

/* Threads whose stacks are remembered; the least recently seen one is replaced. */
#define SHARE_THREADS 32

/* A record in memory of struct share, valid until the next call; NULL and 0: none. */
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

struct share;

/* The record to write instead of a sample; none: the sample is written whole. */
struct share_record share_put(struct share *share, const struct share_sample *sample);

#endif
