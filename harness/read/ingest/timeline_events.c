/* Which events of a file its times are found from. */
#include "ingest/timeline.h"

#include "ingest/describe.h"
#include "ingest/event_totals.h"

#include <string.h>

#define SWITCH_TRACEPOINT "sched:sched_switch"
#define WAKE_TRACEPOINT "sched:sched_waking"

bool
timeline_is_switches(const struct perfdata_event *event)
{
	return (event->attr.type == PERF_TYPE_SOFTWARE &&
		       event->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES) ||
	       strcmp(event->name, SWITCH_TRACEPOINT) == 0;
}

static bool
is_clock(const struct perfdata_event *event)
{
	return describe_is_clock(&event->attr);
}

static bool
is_wakes(const struct perfdata_event *event)
{
	return strcmp(event->name, WAKE_TRACEPOINT) == 0;
}

static size_t
find_event(const struct perfdata_reader *reader, bool (*is)(const struct perfdata_event *event))
{
	for (size_t i = 0; i < perfdata_nevents(reader); i++)
		if (is(perfdata_event(reader, i)))
			return i;
	return SIZE_MAX;
}

struct timeline_events
timeline_events(const struct perfdata_reader *reader, const char *wanted)
{
	struct timeline_events events = {
		.switches = find_event(reader, timeline_is_switches),
		.clock = find_event(reader, is_clock),
		.wakes = find_event(reader, is_wakes),
	};

	if (events.switches == SIZE_MAX)
		return events;
	const struct perfdata_event *switches = perfdata_event(reader, events.switches);

	if (wanted &&
		(strcmp(wanted, TIMELINE_SWITCHES) == 0 || event_name_is(wanted, switches->name)))
		events.clock = SIZE_MAX;
	else if (wanted || (events.clock == SIZE_MAX && events.switches > 0))
		events.switches = SIZE_MAX;
	return events;
}
