/*
 * Gathering records on their way from the buffer to a sink: in as few pieces as possible, and
 * without copying them, but for the heads of trimmed samples.
 *
 * The kernel does not allow writes to the buffer (perf_mmap_fault() in kernel/events/core.c):
 * changed parts of records are in our own memory.
 */
#ifndef PERF_EVENT_GATHER_H
#define PERF_EVENT_GATHER_H

#include "base/err.h"
#include "perf_event/ring.h"
#include "perf_event/trim.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* One write takes at most 1024 (IOV_MAX). */
#define GATHER_PIECES 256
#define GATHER_BYTES 16384

struct gather {
	const struct ring *ring;
	ring_sink sink;
	void *context; /* for the sink */
	struct iovec pieces[GATHER_PIECES];
	size_t npieces;
	unsigned char bytes[GATHER_BYTES]; /* the changed parts */
	size_t nbytes;
	uint64_t put_bytes; /* forwarded so far, or gathered here */
};

/* Adds `bytes` of the buffer at stream position `at`. -1 if the sink fails. */
int gather_put(struct gather *gather, uint64_t at, size_t bytes, struct err *err);
/* Adds the sample at that position, trimmed. */
int gather_put_cut(struct gather *gather, uint64_t at, const struct trim_cut *cut, struct err *err);
/* Adds bytes that are not in the buffer, of any length; they are copied. */
int gather_put_copy(struct gather *gather, const void *bytes, size_t len, struct err *err);
/* Forwards everything gathered. */
int gather_flush(struct gather *gather, struct err *err);

#endif
