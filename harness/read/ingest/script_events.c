/*
 * Chooses the events in perf script's text that are read.
 */
#include "base/lines.h"
#include "base/mem.h"
#include "ingest/event_totals.h"
#include "ingest/script_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* More than perf opens at once; of further ones only those that are wanted are taken. */
#define EVENTS_MAX 1024

void
script_events_release(struct script_events *events)
{
	for (size_t i = 0; i < events->count; i++)
		free((char *)events->totals[i].name);
	free(events->totals);
	free(events->later);
	text_map_release(&events->names);
	*events = (struct script_events){0};
}

static size_t
add_event(struct script_events *events, struct line name)
{
	char *text = mem_dup(name.at, name.len);
	const bool may_be_wanted = !events->wanted || event_name_is(events->wanted, text);

	if (events->count >= EVENTS_MAX && !(events->wanted && may_be_wanted)) {
		free(text);
		return SCRIPT_EVENT_NONE;
	}
	events->totals = mem_grow(
		events->totals, &events->capacity, events->count + 1, sizeof(*events->totals));
	events->totals[events->count] =
		(struct event_total){.name = text, .is_unlisted = !may_be_wanted};
	events->last = text_map_add(&events->names, name.at, name.len, (uint32_t)events->count);
	return events->count++;
}

size_t
script_events_take(struct script_events *events, struct line name, double period)
{
	struct text_entry *last = events->last;

	if (!last || last->len != name.len || memcmp(last->text, name.at, name.len) != 0)
		last = text_map_find(&events->names, name.at, name.len);
	const size_t event = last ? last->value : add_event(events, name);

	if (event == SCRIPT_EVENT_NONE)
		return event;
	assert(events->totals && event < events->count);
	struct event_total *total = &events->totals[event];

	events->last = last ? last : events->last;
	total->weight += period;
	total->samples++;
	return total->is_unlisted ? SCRIPT_EVENT_NONE : event;
}

bool
script_events_are_first(struct script_events *events, size_t event)
{
	if (!events->any)
		events->first = event;
	events->any = true;
	return events->first == event;
}

void
script_events_keep(struct script_events *events, const struct script_sample *sample)
{
	events->later = mem_grow(
		events->later, &events->later_capacity, events->nlater + 1, sizeof(*events->later));
	events->later[events->nlater++] = *sample;
}

int
script_events_choose(struct script_events *events, const char *path, struct err *err)
{
	return event_totals_choose(
		events->totals, events->count, path, events->wanted, &events->chosen, err);
}

bool
script_events_are_all(const struct script_events *events)
{
	if (events->any && !events->totals[events->first].chosen)
		return false;
	for (size_t i = 0; i < events->nlater; i++)
		if (!events->totals[events->later[i].event].chosen)
			return false;
	return true;
}
