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

#endif
