/*
 * One ring buffer that the kernel writes records into (perf_event_open(2), "MMAP layout"): mapping
 * it, and reading it without taking records out. ring_drain.h takes them out.
 */
#ifndef PERF_EVENT_RING_H
#define PERF_EVENT_RING_H

#include "base/err.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>

/*
 * A position in the buffer's stream counts all bytes since the buffer was mapped; its place in
 * memory is the position modulo `data_bytes`.
 */
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

/* Copies `bytes` from stream position `at`, also where they wrap around the end of the buffer. */
void ring_copy_out(const struct ring *ring, uint64_t at, void *to, size_t bytes);

/* The 8-byte word at stream position `at`; records are aligned, so that no word wraps. */
static inline uint64_t
ring_word(const struct ring *ring, uint64_t at)
{
	uint64_t word;

	memcpy(&word, ring->data + (at & (ring->data_bytes - 1)), sizeof(word));
	return word;
}

/* Takes records as they stand in the buffer, in pieces, which begin and end anywhere. */
typedef int (*ring_sink)(
	void *context, const struct iovec *pieces, size_t npieces, struct err *err);

/* Gets a copy of a record, whole and aligned, which is valid until it returns. */
typedef void (*ring_visitor)(void *context, const struct perf_event_header *record);

/*
 * Visits the records of one type that are not drained yet, in the order of the buffer, from stream
 * position *seen on (at first 0); *seen is then behind the last whole record. They stay in the
 * buffer. Records longer than RING_PEEKED_BYTES are left out.
 */
#define RING_PEEKED_BYTES 8192
void ring_peek(
	const struct ring *ring, uint64_t *seen, uint32_t type, ring_visitor visit, void *context);

#endif
