/*
 * The part of a capture's time that --from and --to select.
 */
#include "ingest/perfdata_internal.h"

struct time_range
time_range_at(const struct ingest_options *options, uint64_t start_ns)
{
	struct time_range range = {.from_ns = start_ns, .to_ns = UINT64_MAX};

	if (options->from_ns < UINT64_MAX - start_ns)
		range.from_ns += options->from_ns;
	if (options->to_ns > 0 && options->to_ns < UINT64_MAX - start_ns)
		range.to_ns = start_ns + options->to_ns;
	return range;
}

uint64_t
timed_entry_begin(uint64_t time_ns, struct timeline_entry entry)
{
	if (entry.kind == WAIT_FOR_EVENT || entry.kind == WAIT_FOR_CPU)
		return time_ns;
	return time_ns > entry.ns ? time_ns - entry.ns : 0;
}

/* How much of `ns` from `begin` on lies in the range. */
static uint64_t
part_of(const struct time_range *range, uint64_t begin, uint64_t ns)
{
	const uint64_t end = begin + ns;
	const uint64_t from = begin > range->from_ns ? begin : range->from_ns;
	const uint64_t to = end < range->to_ns ? end : range->to_ns;

	return to > from ? to - from : 0;
}

uint64_t
time_range_clip(const struct time_range *range, uint64_t time_ns, struct timeline_entry *entry)
{
	const uint64_t begin = timed_entry_begin(time_ns, *entry);
	const uint64_t queued = entry->queued_ns;

	entry->queued_ns = part_of(range, begin + entry->ns, queued) & TIMELINE_NS_MAX;
	entry->ns = part_of(range, begin, entry->ns) & TIMELINE_NS_MAX;
	return begin > range->from_ns ? begin : range->from_ns;
}
