/*
 * One ring buffer that the kernel writes records into (perf_event_open(2), "MMAP layout").
 */
#ifndef PERF_EVENT_RING_H
#define PERF_EVENT_RING_H

#include "base/err.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct ring {
	struct perf_event_mmap_page *page; /* NULL: not mapped */
	unsigned char *data;
	size_t data_bytes; /* a power of two */
	size_t map_bytes;
};

/*
 * Maps the buffer of descriptor `fd` with `data_bytes` (a power of two of pages). -1 and errno;
 * EPERM means that the locked-memory limit is too small for it.
 */
int ring_map(struct ring *ring, int fd, size_t data_bytes);
void ring_unmap(struct ring *ring);

/* Copies `bytes` from stream position `at`, also where they wrap at the buffer's end. */
void ring_copy_out(const struct ring *ring, uint64_t at, void *to, size_t bytes);

/* Takes records as they stand in the buffer, in pieces, which begin and end anywhere. */
typedef int (*ring_sink)(
	void *context, const struct iovec *pieces, size_t npieces, struct err *err);

/*
 * Drains a ring buffer: counts its records, trims them and forwards them to a sink.
 */

/* Stacks that were written: later samples refer to them instead of repeating them. */
struct share;

struct share *share_new(void);
void share_free(struct share *share);

/* Counts of the records. */
struct ring_counts {
	uint64_t samples;
	uint64_t lost;         /* records, by PERF_RECORD_LOST */
	uint64_t lost_samples; /* by PERF_RECORD_LOST_SAMPLES */
	uint64_t throttled;
	uint64_t switches; /* to and from a CPU */
	uint64_t first_sample_ns;
	uint64_t last_sample_ns;
	/* If there is no sink: samples with a caller's address in user space beside their own, */
	uint64_t callchains;
	uint64_t stacks;        /* and those with a copy of some of their stack. */
	uint64_t trimmed_bytes; /* of stack copies: not valid, and not forwarded */
	uint64_t shared_bytes;  /* of their valid part: replaced by references */
};

/* The consumer of the records. */
struct ring_drain {
	struct ring_counts *counts;
	const struct perf_event_attr *attr; /* what the samples were taken by: event_attr();
					       NULL: stack copies are ignored */
	ring_sink sink;                     /* NULL: they are only counted */
	void *context;
	struct share *share; /* NULL: stack copies are written whole */
	uint64_t position;   /* if there is one: where in the file the first record goes,
				relative to any fixed origin */
};

/*
 * Counts all complete records, forwards them to the sink with their stack copies trimmed and frees
 * their room. Returns how many bytes there were, -1 if the sink fails.
 */
long ring_drain(struct ring *ring, const struct ring_drain *drain, struct err *err);

/* Gets a copy of a record, whole and aligned, until it returns. */
typedef void (*ring_visitor)(void *context, const struct perf_event_header *record);

/*
 * Visits the records of one type that are not drained yet, in the order of the buffer, from
 * position *seen of its stream (at first 0); *seen is then behind the last whole record. They stay
 * in the buffer. Records longer than RING_PEEKED_BYTES are left out.
 */
#define RING_PEEKED_BYTES 8192
void ring_peek(
	const struct ring *ring, uint64_t *seen, uint32_t type, ring_visitor visit, void *context);

#endif
