#include "perfdata/reader_internal.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A record's contents, after the header. */
static struct file_bytes
contents(const char *record, size_t size)
{
	const size_t header = sizeof(struct perf_event_header);

	return (struct file_bytes){record + header, size - header};
}

/* One event of a pipe: its attributes, which state their size, and its ids. */
static int
take_attr(struct perfdata_reader *reader, struct file_bytes bytes, uint64_t offset, struct err *err)
{
	uint32_t size = 0;

	if (bytes.left >= PERF_ATTR_SIZE_VER0)
		memcpy(&size, bytes.at + offsetof(struct perf_event_attr, size), sizeof(size));
	/* So did the first kernels that had a size. */
	if (size == 0)
		size = PERF_ATTR_SIZE_VER0;
	if (size < PERF_ATTR_SIZE_VER0 || size > bytes.left)
		return err_set(err, ERR_INPUT,
			"%s: broken record at offset %" PRIu64 ": event attributes of %" PRIu32
			" bytes in a record of %zu",
			reader->path, offset, size, bytes.left);
	event_table_add(&reader->events, &reader->arena, bytes.at, size,
		(struct file_bytes){bytes.at + size, bytes.left - size});
	reader->events_changed = true;
	return 0;
}

static int
take_update(struct perfdata_reader *reader, struct file_bytes bytes, struct err *err)
{
	uint64_t kind;
	uint64_t id;

	if (!file_bytes_take(&bytes, &kind, sizeof(kind)) ||
		!file_bytes_take(&bytes, &id, sizeof(id)) || kind != EVENT_UPDATE_NAME)
		return 0;
	if (reader_index_events(reader, err) < 0)
		return -1;

	const char *name = file_bytes_text(&bytes);
	struct event_entry *entry = event_table_find(&reader->events, id);

	if (entry && name && *name)
		snprintf(entry->event.name, sizeof(entry->event.name), "%s", name);
	return 0;
}

static void
take_feature(struct perfdata_reader *reader, struct file_bytes bytes)
{
	uint64_t feature;

	if (file_bytes_take(&bytes, &feature, sizeof(feature)) && feature < FEATURES_MAX)
		reader->features.sections[feature] = bytes;
}

static void
keep(struct perfdata_reader *reader, const char *record, size_t size)
{
	reader->others = mem_grow(reader->others, &reader->others_capacity, reader->nothers + 1,
		sizeof(*reader->others));
	reader->others[reader->nothers++] = (struct file_bytes){record, size};
}

int
reader_index_events(struct perfdata_reader *reader, struct err *err)
{
	if (!reader->events_changed)
		return 0;
	reader->events_changed = false;
	if (!allowance_take(&reader->indexing, reader->events.count))
		return err_set(err, ERR_INPUT,
			"%s: its events change again and again among its records", reader->path);
	return event_table_index(&reader->events, reader->path, err);
}

int
reader_take_user(struct perfdata_reader *reader, const char *record, size_t size, uint64_t *follow,
	struct err *err)
{
	uint64_t offset = (uint64_t)(record - reader->view->data);
	struct file_bytes bytes = contents(record, size);
	struct perf_event_header header;
	uint32_t data_bytes = 0;

	*follow = 0;
	memcpy(&header, record, sizeof(header));
	switch (header.type) {
	case USER_HEADER_ATTR:
		/* A file has them in its header; if they come once more, they say the same. */
		return reader->is_pipe ? take_attr(reader, bytes, offset, err) : 0;
	case USER_HEADER_TRACING_DATA:
		file_bytes_take(&bytes, &data_bytes, sizeof(data_bytes));
		*follow = ((uint64_t)data_bytes + 7) / 8 * 8;
		if (offset + size + data_bytes <= reader->view->len)
			reader->features.sections[FEATURE_TRACING_DATA] =
				(struct file_bytes){record + size, data_bytes};
		return 0;
	case USER_HEADER_BUILD_ID:
		perf_features_add_build_id(&reader->features, record, size);
		return 0;
	case USER_HEADER_FEATURE:
		if (reader->is_pipe)
			take_feature(reader, bytes);
		return 0;
	case USER_EVENT_UPDATE:
		keep(reader, record, size);
		return take_update(reader, bytes, err);
	case USER_ID_INDEX:
	case USER_THREAD_MAP:
	case USER_CPU_MAP:
	case USER_TIME_CONV:
		keep(reader, record, size);
		return 0;
	default: /* ends of rounds, statistics and types of the future */
		return 0;
	}
}
