/*
 * A part of a capture's time (--from, --to): which samples lie in it, and how much of each time.
 */
#ifndef INGEST_TIME_RANGE_H
#define INGEST_TIME_RANGE_H

#include "ingest/ingest.h"
#include "ingest/timeline.h"

#include <stdbool.h>
#include <stdint.h>

/* By the capture's clock: from this on, and before that. */
struct time_range {
	uint64_t from_ns;
	uint64_t to_ns;
};

/* The range of `options` in a capture that starts at `start_ns`. */
struct time_range time_range_at(const struct ingest_options *options, uint64_t start_ns);

static inline bool
time_range_has(const struct time_range *range, uint64_t time_ns)
{
	return time_ns >= range->from_ns && time_ns < range->to_ns;
}

/*
 * When the time of a record at `time_ns` begins and ends: a wait begins with its record, a time on
 * the CPU ends with it. What it waited for a CPU, `queued_ns`, follows.
 */
uint64_t timed_entry_begin(uint64_t time_ns, struct timeline_entry entry);

/* Takes away what lies outside of the range. Returns when the rest begins. */
uint64_t time_range_clip(
	const struct time_range *range, uint64_t time_ns, struct timeline_entry *entry);

#endif
