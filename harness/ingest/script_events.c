#include "ingest/script_events.h"

#include "base/mem.h"
#include "ingest/selection.h"

#include <stdlib.h>
#include <string.h>

/* More than perf opens at once; further ones are not named. */
#define EVENTS_MAX 256

void
script_events_init(struct script_events *events, const char *wanted)
{
	*events = (struct script_events){.wanted = wanted};
}

void
script_events_release(struct script_events *events)
{
	for (size_t i = 0; i < events->nevents; i++)
		free(events->events[i].name);
	free(events->events);
	*events = (struct script_events){0};
}

static bool
is_named(const struct script_event *event, struct text_span name)
{
	return event->len == name.len && memcmp(event->name, name.at, name.len) == 0;
}

/* An event that is not known yet; false if it cannot be the one that is read. */
static bool
add_event(struct script_events *events, struct text_span name)
{
	bool chosen = !events->is_chosen &&
		      (!events->wanted || selection_event(events->wanted, name.at, name.len));

	if (events->nevents == EVENTS_MAX && !chosen)
		return false;
	events->events = mem_grow(
		events->events, &events->capacity, events->nevents + 1, sizeof(*events->events));
	events->events[events->nevents++] =
		(struct script_event){.name = mem_dup(name.at, name.len), .len = name.len};
	if (chosen) {
		events->chosen = events->nevents - 1;
		events->is_chosen = true;
	}
	return chosen;
}

bool
script_events_take(struct script_events *events, struct text_span name)
{
	if (events->is_chosen && is_named(&events->events[events->chosen], name))
		return true;
	for (size_t i = 0; i < events->nevents; i++)
		if (is_named(&events->events[i], name))
			return false;
	return add_event(events, name);
}

void
script_events_put(const struct script_events *events, bool others_only, struct buf *out)
{
	const char *separator = "";

	for (size_t i = 0; i < events->nevents; i++) {
		if (others_only && events->is_chosen && i == events->chosen)
			continue;
		buf_printf(out, "%s%s", separator,
			*events->events[i].name ? events->events[i].name : "(unnamed)");
		separator = ", ";
	}
}
