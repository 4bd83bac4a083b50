/*
 * One ring buffer that the kernel writes records into (perf_event_open(2), "MMAP layout"), and the
 * counting of what comes out of it.
 */
#ifndef PERF_EVENT_RING_H
#define PERF_EVENT_RING_H

#include "base/err.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct share;

struct ring {
	struct perf_event_mmap_page *page; /* NULL: not mapped */
	unsigned char *data;
	size_t data_bytes; /* a power of two */
	size_t map_bytes;
};

/* What went by. */
struct ring_counts {
	uint64_t samples;
	uint64_t lost;         /* records, as PERF_RECORD_LOST tells */
	uint64_t lost_samples; /* as PERF_RECORD_LOST_SAMPLES tells */
	uint64_t throttled;
	uint64_t first_sample_ns;
	uint64_t last_sample_ns;
	/* If there is no sink: samples with a caller's address in user space beside their own, */
	uint64_t callchains;
	uint64_t stacks;        /* and those with a copy of some of their stack. */
	uint64_t trimmed_bytes; /* of stack copies that were not valid, and are not handed on */
	uint64_t shared_bytes;  /* of what is left of them: not handed on, but referred to */
};

/*
 * Maps the buffer of descriptor `fd` with `data_bytes` (a power of two of pages). -1 and errno;
 * EPERM means that the locked-memory limit is too small for it.
 */
int ring_map(struct ring *ring, int fd, size_t data_bytes);
void ring_unmap(struct ring *ring);

/* Takes records as they stand in the buffer, in pieces, which begin and end anywhere. */
typedef int (*ring_sink)(
	void *context, const struct iovec *pieces, size_t npieces, struct err *err);

/* What is done with the records. */
struct ring_drain {
	struct ring_counts *counts;
	const struct perf_event_attr *attr; /* what the samples were taken by: event_attr(); NULL:
					       stack copies are not looked at */
	ring_sink sink;                     /* NULL: they are only counted */
	void *context;
	struct share *share; /* NULL: stack copies are written whole (share.h) */
	uint64_t position;   /* if there is one: where in the file the first record goes, counted
				from anywhere, but always from there */
};

/*
 * Counts all whole records that are there, hands them to the sink with their stack copies trimmed
 * (trim.h) and frees their room. Returns how many bytes there were, -1 if the sink fails.
 */
long ring_drain(struct ring *ring, const struct ring_drain *drain, struct err *err);

#endif
