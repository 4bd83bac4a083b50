/*
 * The events of perf script's text: which one is read, and what others there are.
 */
#ifndef INGEST_SCRIPT_EVENTS_H
#define INGEST_SCRIPT_EVENTS_H

#include "base/buf.h"
#include "ingest/script_line.h"

#include <stdbool.h>
#include <stddef.h>

struct script_event {
	char *name; /* owned */
	size_t len;
};

struct script_events {
	const char *wanted; /* with or without its modifiers ("cycles:u"); NULL: the first */
	struct script_event *events;
	size_t nevents;
	size_t capacity;
	size_t chosen; /* of `events`; meaningless while there are none */
	bool is_chosen;
};

void script_events_init(struct script_events *events, const char *wanted);
void script_events_release(struct script_events *events);

/* A sample of this event: whether it is the one that is read. */
bool script_events_take(struct script_events *events, struct text_span name);
/* "cycles, page-faults": all events, or all but the one that is read. */
void script_events_put(const struct script_events *events, bool others_only, struct buf *out);

#endif
