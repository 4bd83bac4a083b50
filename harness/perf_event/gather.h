/*
 * Part of ring_drain.c: records on their way from the buffer to a sink, in as few pieces as
 * possible and without being copied, but for the heads of trimmed samples.
 *
 * The kernel lets nobody write into the buffer (perf_mmap_fault() in kernel/events/core.c): what is
 * changed of a record goes through memory of our own.
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
	void *context; /* for it */
	struct iovec pieces[GATHER_PIECES];
	size_t npieces;
	unsigned char bytes[GATHER_BYTES]; /* what is not as in the buffer */
	size_t nbytes;
	uint64_t put_bytes; /* handed on, or here */
};

/* Adds `bytes` of the buffer at stream position `at`. -1 if the sink fails. */
int gather_put(struct gather *gather, uint64_t at, size_t bytes, struct err *err);
/* Adds the sample there, cut. */
int gather_put_cut(struct gather *gather, uint64_t at, const struct trim_cut *cut, struct err *err);
/* Adds what is not in the buffer, of any length; it is copied. */
int gather_put_copy(struct gather *gather, const void *bytes, size_t len, struct err *err);
/* Hands on what is there. */
int gather_flush(struct gather *gather, struct err *err);

#endif
