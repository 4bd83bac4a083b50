/*
 * One ring buffer that the kernel writes records into (perf_event_open(2), "MMAP layout"): mapping
 * it, looking at its records, and draining them into a sink.
 */
#ifndef PERF_EVENT_RING_H
#define PERF_EVENT_RING_H

#include "base/err.h"

#include <linux/perf_event.h>
#include <stdbool.h>
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
static inline void
ring_copy_out(const struct ring *ring, uint64_t at, void *to, size_t bytes)
{
	size_t start = (size_t)(at & (ring->data_bytes - 1));
	size_t room = ring->data_bytes - start;
	size_t part = bytes < room ? bytes : room;

	memcpy(to, ring->data + start, part);
	memcpy((unsigned char *)to + part, ring->data, bytes - part);
}

/* Takes records as they stand in the buffer, in pieces, which begin and end anywhere. */
typedef int (*ring_sink)(
	void *context, const struct iovec *pieces, size_t npieces, struct err *err);

/*
 * Drains a ring buffer: counts its records, trims them and forwards them to a sink.
 */

/* The stack copies that were written whole: later samples refer to them. */
struct share;

/* Threads whose stacks are remembered; the least recently seen one is replaced. */
#define SHARE_THREADS 32

struct share *share_new(void);
void share_free(struct share *share);

/* Counts of the records that were drained. */
struct ring_counts {
	uint64_t samples;
	uint64_t lost;         /* records, by PERF_RECORD_LOST */
	uint64_t lost_samples; /* by PERF_RECORD_LOST_SAMPLES */
	uint64_t throttled;
	uint64_t switches; /* to and from a CPU */
	uint64_t first_sample_ns;
	uint64_t last_sample_ns;
	/* These two only without a sink: */
	uint64_t callchains;    /* samples with a caller's address in user space beside their own */
	uint64_t stacks;        /* samples with a copy of some of their stack */
	uint64_t trimmed_bytes; /* of stack copies: not valid, and not forwarded */
	uint64_t shared_bytes;  /* of their valid part: replaced by references */
};

/* How the buffer is drained, and where its records go. */
struct ring_drain {
	struct ring_counts *counts;
	const struct perf_event_attr *attr; /* what the samples were taken by: event_attr();
					       NULL: stack copies are ignored */
	ring_sink sink;                     /* NULL: the records are only counted */
	void *context;                      /* for the sink */
	struct share *share;                /* NULL: stack copies are written whole */
	uint64_t position; /* with `share`: where in the file the first record goes, relative to
			      any fixed origin */
};

/*
 * Counts all complete records, forwards them to the sink with their stack copies trimmed and frees
 * their room. Returns how many bytes there were, -1 if the sink fails.
 */
long ring_drain(struct ring *ring, const struct ring_drain *drain, struct err *err);

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

/*
 * The parts of draining: samples are trimmed or shared, and gathered into few writes.
 */

/*
 * Trims the copies of the user's stack in samples to their valid part.
 *
 * The kernel gives every copy the requested size, though the stack may end long before it, and
 * leaves garbage in the rest. A record states its own size and that of its copy, so that every
 * reader accepts a shorter one.
 *
 * Source: linux/perf_event.h, the comments at PERF_RECORD_SAMPLE.
 */

/* The trimmed sample: its head, the size of the copy, the copy, the size of its valid part. */
struct trim_cut {
	size_t head_bytes;  /* up to the size of the copy, the record's header included */
	size_t copy_bytes;  /* of the copy that are kept: the valid ones, up to a multiple of 8 */
	size_t valid_bytes; /* the valid ones among them */
	uint16_t size;      /* of the whole record */
};

/*
 * Whether the sample at stream position `at` has a stack copy; then *cut has its parts when
 * trimmed. `attr` is what it was sampled by. Where copy_bytes is 0, the record ends with the size
 * of the copy.
 */
bool trim_find(const struct ring *ring, uint64_t at, const struct perf_event_attr *attr,
	struct trim_cut *cut);

/*
 * The stack copies of samples, of which only what is new is written (share.c).
 */

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

/*
 * Gathering records on their way from the buffer to a sink: in as few pieces as possible, and
 * without copying them, but for the heads of trimmed samples.
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
/* Forwards everything gathered. */
int gather_flush(struct gather *gather, struct err *err);

#endif
