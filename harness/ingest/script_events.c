#include "ingest/script_internal.h"

#include "ingest/selection.h"

#include <string.h>

/* More than perf opens at once; further ones are not named. */
#define EVENTS_MAX 256

void
script_events_release(struct script_events *events)
{
	text_map_release(&events->names);
	*events = (struct script_events){0};
}

bool
script_events_take(struct script_events *events, struct line name)
{
	struct text_entry *chosen = events->chosen;

	if (chosen && chosen->len == name.len && memcmp(chosen->text, name.at, name.len) == 0)
		return true;
	if (text_map_find(&events->names, name.at, name.len))
		return false;
	bool choose =
		!chosen && (!events->wanted || selection_event(events->wanted, name.at, name.len));

	if (events->names.nentries == EVENTS_MAX && !choose)
		return false;
	struct text_entry *added = text_map_add(&events->names, name.at, name.len, 0);

	if (choose)
		events->chosen = added;
	return choose;
}

void
script_events_put(const struct script_events *events, bool others_only, struct buf *out)
{
	const char *separator = "";

	for (size_t i = 0; i < events->names.nentries; i++) {
		const struct text_entry *event = events->names.entries[i];

		if (others_only && event == events->chosen)
			continue;
		buf_puts(out, separator);
		if (event->len > 0)
			buf_put(out, event->text, event->len);
		else
			buf_puts(out, "(unnamed)");
		separator = ", ";
	}
}
