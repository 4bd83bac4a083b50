/*
 * Any bytes: an error, or a time for each record that has one, the same number of them in both
 * passes, and none longer than can be.
 */
#include "ingest/perfdata_internal.h"

#include "perfdata_input.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
take_all(struct perfdata_reader *reader, struct timeline *timeline)
{
	struct timeline_entry entry;
	struct record record;
	struct err err = {0};

	while (perfdata_next(reader, &record, &err) > 0)
		if (timeline_take(timeline, &record, &entry) && entry.ns > TIMELINE_NS_MAX)
			abort();
	/* It was read to its end before. */
	if (err.kind != ERR_NONE)
		abort();
}

static void
read_all(struct perfdata_reader *reader, const struct file_view *view,
	const struct timeline_events *events)
{
	struct err err = {0};
	struct timeline *timeline =
		events->switches != SIZE_MAX ? timeline_read(view, "fuzz", events, &err) : NULL;

	if (timeline)
		take_all(reader, timeline);
	timeline_free(timeline);
}

/* For slow operations only, where the file has marks of them. */
static void
read_slow(const struct perfdata_reader *reader, const struct file_view *view,
	struct timeline_events events)
{
	struct err err = {0};

	events.operations = slow_operations_read(reader, view, "fuzz", 1000, &err);
	if (!events.operations)
		return;
	struct perfdata_reader *again = perfdata_open(view, "fuzz", &err);

	if (again)
		read_all(again, view, &events);
	perfdata_close(again);
	slow_operations_free(events.operations);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t *aligned = aligned_copy(data, size);
	struct file_view view = {.data = (const char *)aligned, .len = size};
	struct err err = {0};

	if (!aligned)
		return 0;
	struct perfdata_reader *reader = perfdata_open(&view, "fuzz", &err);

	if (reader) {
		struct timeline_events events = timeline_events(reader, NULL);

		read_all(reader, &view, &events);
		read_slow(reader, &view, events);
		events.of_wakers = true;
		perfdata_close(reader);
		reader = perfdata_open(&view, "fuzz", &err);
		if (reader)
			read_all(reader, &view, &events);
	}
	perfdata_close(reader);
	free(aligned);
	return 0;
}
