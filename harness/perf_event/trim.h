/*
 * Cutting the copies of the user's stack in samples down to what is valid of them.
 *
 * The kernel gives a copy the whole size that was asked for, though the stack may end long before
 * it, and leaves in the rest of the room whatever stood there. A record tells its own size and that
 * of its copy, so that a shorter one is as good for every reader.
 *
 * Source: linux/perf_event.h, the comments at PERF_RECORD_SAMPLE.
 */
#ifndef PERF_EVENT_TRIM_H
#define PERF_EVENT_TRIM_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where records stand: at a position of a stream whose `mask` + 1 latest bytes (a power of two, at
 * least 8) are kept. Records are aligned to 8 bytes, so that no word is split. */
struct trim_stream {
	const unsigned char *data;
	uint64_t mask;
};

/* What is left of a sample: its head, the size of the copy, the copy, its valid size. */
struct trim_cut {
	size_t head_bytes;  /* up to the size of the copy, the record's header included */
	size_t copy_bytes;  /* what is left of the copy, rounded up to a multiple of 8 */
	size_t valid_bytes; /* the valid ones among them */
	uint16_t size;      /* of the whole record */
};

/*
 * Whether the sample at stream position `at` has a stack copy, and what it is when cut. `attr` is
 * what it was sampled by. Where copy_bytes is 0, the record ends with the size of the copy.
 */
bool trim_find(const struct trim_stream *stream, uint64_t at, const struct perf_event_attr *attr,
	struct trim_cut *cut);

#endif
