/*
 * One ring buffer that the kernel writes records into (perf_event_open(2), "MMAP layout"), and the
 * counting of what comes out of it.
 */
#ifndef CAPTURE_RING_H
#define CAPTURE_RING_H

#include "base/err.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

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
	uint64_t callchains; /* samples with a caller's address in user space beside their own */
};

/*
 * Maps the buffer of descriptor `fd` with `data_bytes` (a power of two of pages). -1 and errno;
 * EPERM means that the locked-memory limit is too small for it.
 */
int ring_map(struct ring *ring, int fd, size_t data_bytes);
void ring_unmap(struct ring *ring);

/* Takes records as they stand in the buffer: one or two pieces for each drain. */
typedef int (*ring_sink)(void *context, const void *records, size_t bytes, struct err *err);

/*
 * Counts all whole records that are there, hands them to `sink` (NULL: nobody wants them) and frees
 * their room. The samples must have the fields that event_attr() asks for. Returns how many bytes
 * there were, -1 if the sink fails.
 */
long ring_drain(struct ring *ring, struct ring_counts *counts, ring_sink sink, void *context,
	struct err *err);

#endif
