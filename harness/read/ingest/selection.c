#include "ingest/selection.h"

#include "base/mem.h"
#include "ingest/ingest.h"
#include "ingest/labels.h"
#include "ingest/perfdata_internal.h"

#include <stdint.h>
#include <stdlib.h>

static char
as_shown(char c)
{
	if (c == ' ')
		return '_';
	return c;
}

bool
selection_same_name(const char *wanted, const char *name, size_t len)
{
	size_t i = 0;

	while (i < len && wanted[i] != '\0' && as_shown(wanted[i]) == as_shown(name[i]))
		i++;
	return i == len && wanted[i] == '\0';
}

bool
selection_takes(const struct ingest_options *options, uint32_t pid, uint32_t tid, const char *comm,
	size_t len)
{
	return (options->pid == 0 || options->pid == pid) &&
	       (options->tid == 0 || options->tid == tid) &&
	       (!options->comm || selection_same_name(options->comm, comm, len));
}

char *
selection_value(enum label_kind kind, const char *name, size_t len, uint32_t pid, uint32_t tid)
{
	/* A program can name its thread "": its stacks would have no root frame. */
	char *shown = len > 0 ? mem_dup(name, len) : mem_strdup("(unnamed)");
	char *whole = shown;

	for (char *c = shown; *c; c++)
		*c = as_shown(*c);
	if (kind == LABEL_PID)
		whole = mem_printf("%s-%u", shown, pid);
	else if (kind == LABEL_TID)
		whole = mem_printf("%s-%u/%u", shown, pid, tid);
	if (whole != shown)
		free(shown);
	return whole;
}

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

/* The nanoseconds of the time `ns` from `begin` on that lie in the range. */
static uint64_t
ns_in_range(const struct time_range *range, uint64_t begin, uint64_t ns)
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

	entry->queued_ns = ns_in_range(range, begin + entry->ns, queued) & TIMELINE_NS_MAX;
	entry->ns = ns_in_range(range, begin, entry->ns) & TIMELINE_NS_MAX;
	return begin > range->from_ns ? begin : range->from_ns;
}
