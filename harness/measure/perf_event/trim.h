/*
 * Trimming the copies of the user's stack in samples to their valid part.
 *
 * The kernel gives every copy the requested size, though the stack may end long before it, and
 * leaves garbage in the rest. A record states its own size and that of its copy, so that every
 * reader accepts a shorter one.
 *
 * Source: linux/perf_event.h, the comments at PERF_RECORD_SAMPLE.
 */
#ifndef PERF_EVENT_TRIM_H
#define PERF_EVENT_TRIM_H

#include "perf_event/ring.h"

#include <stdbool.h>

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

#endif
