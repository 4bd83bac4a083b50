/*
 * The index of a perf.data file: the walk that finds all records, and their order by time.
 */
#include "base/mem.h"
#include "base/search.h"
#include "base/sort.h"
#include "perfdata/reader_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Indexes the events again if records have changed them. */
static int
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

/*
 * Processes a record of perf's own at `record`, `size` bytes with its header. *follow is how many
 * bytes of data follow it that its size does not count.
 */
static int
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

struct raw_record
reader_raw(const char *record)
{
	struct perf_event_header header;

	memcpy(&header, record, sizeof(header));
	return (struct raw_record){
		.type = header.type == USER_SHARED_STACK ? PERF_RECORD_SAMPLE : header.type,
		.misc = header.misc,
		.words = (const uint64_t *)(const void *)(record + sizeof(header)),
		.nwords = (header.size - sizeof(header)) / sizeof(uint64_t),
	};
}

uint64_t
reader_offset(const struct perfdata_reader *reader, const char *record)
{
	uintptr_t distance = (uintptr_t)record - (uintptr_t)reader->view->data;

	if (distance < reader->view->len)
		return distance;
	return record_origins_find(&reader->origins, record);
}

static void
count_sample(struct event_entry *entry, const struct raw_record *raw)
{
	uint64_t period;

	if (!raw_record_period(raw, &entry->layout, &period))
		period = entry->event.attr.freq ? 1 : entry->event.attr.sample_period;
	entry->event.nsamples++;
	entry->event.period_sum += (double)period;
}

/* Adds a record of the kernel's: checked for its size, and starting on a word. */
static void
add_record(struct perfdata_reader *reader, const char *record)
{
	struct raw_record raw = reader_raw(record);
	size_t event;
	bool known = event_table_of(&reader->events, &raw, &event);
	struct event_entry *entry = &reader->events.entries[event];
	uint64_t time_ns = raw_record_time(&raw, &entry->layout);

	/* A record without time stays where it is, after the one before it. */
	if (time_ns == 0)
		time_ns = reader->last_ns;
	reader->last_ns = time_ns;
	if (reader->nmoments == reader->moments_capacity)
		reader->moments = mem_grow(reader->moments, &reader->moments_capacity,
			reader->nmoments + 1, sizeof(*reader->moments));
	reader->moments[reader->nmoments++] = (struct moment){time_ns, record};
	if (time_ns > reader->newest_ns)
		reader->newest_ns = time_ns;
	if (known && raw.type == PERF_RECORD_SAMPLE)
		count_sample(entry, &raw);
}

/* Bytes kept in memory before the read position: samples that wait to be unwound are there. */
#define WINDOW_BYTES ((size_t)64 << 20)

void
reader_release_behind(struct perfdata_reader *reader, size_t offset)
{
	/* A mapped file can be read again, a pipe cannot. */
	if (!reader->view->mapped || offset < reader->released + 2 * WINDOW_BYTES)
		return;
	file_view_done(reader->view, reader->released, offset - WINDOW_BYTES);
	reader->released = offset - WINDOW_BYTES;
}

static int
err_size(const struct perfdata_reader *reader, uint64_t offset, size_t size, struct err *err)
{
	return err_set(err, ERR_INPUT,
		"%s: broken record at offset %" PRIu64 ": its size of %zu bytes is not possible "
		"with %" PRIu64 " bytes to the end",
		reader->path, offset, size, reader->data.offset + reader->data.size - offset);
}

static int
take_kernel(
	struct perfdata_reader *reader, uint64_t offset, size_t size, bool shared, struct err *err)
{
	const char *record = reader->view->data + offset;

	if (size % sizeof(uint64_t) != 0 || (shared && offset % sizeof(uint64_t) != 0))
		return err_size(reader, offset, size, err);
	/*
	 * After compressed records, and in pipes, records can start anywhere. One of ours must not
	 * be moved, and always starts on a word.
	 */
	if (offset % sizeof(uint64_t) != 0)
		record = record_store_copy(&reader->aligned, record, size, offset);
	add_record(reader, record);
	return 0;
}

static int
take_compressed(struct perfdata_reader *reader, uint64_t offset, size_t size, struct err *err)
{
	struct perf_event_header header;
	struct file_bytes bytes = {reader->view->data + offset, size};
	const char *problem = NULL;
	const char *record;
	uint64_t len = size - sizeof(header);
	int status;

	file_bytes_take(&bytes, &header, sizeof(header));
	/* The newer form states the number of bytes before the record's padding. */
	if (header.type == USER_COMPRESSED2 && !file_bytes_take(&bytes, &len, sizeof(len)))
		len = UINT64_MAX;
	if (len > bytes.left)
		return err_size(reader, offset, size, err);
	decompressor_feed(&reader->decompressor, bytes.at, (size_t)len, offset);
	while ((status = decompressor_next(&reader->decompressor, &record, &problem)) > 0) {
		memcpy(&header, record, sizeof(header));
		if (header.type < USER_RECORD_FIRST)
			add_record(reader, record);
	}
	if (status < 0)
		return err_set(err, ERR_INPUT,
			"%s: broken compressed record at offset %" PRIu64 ": %s", reader->path,
			offset, problem);
	return 0;
}

/* Takes the whole record at `offset`; *follow as reader_take_user() sets it. */
static int
take_record(struct perfdata_reader *reader, uint64_t offset, const struct perf_event_header *header,
	uint64_t *follow, struct err *err)
{
	bool compressed = header->type == USER_COMPRESSED || header->type == USER_COMPRESSED2;
	bool shared = header->type == USER_SHARED_STACK;

	*follow = 0;
	if (header->type >= USER_RECORD_FIRST && !compressed && !shared)
		return reader_take_user(
			reader, reader->view->data + offset, header->size, follow, err);
	if (reader->events.count == 0)
		return err_set(err, ERR_INPUT,
			"%s: the record at offset %" PRIu64 " comes before any event's attributes",
			reader->path, offset);
	if (reader_index_events(reader, err) < 0)
		return -1;
	return compressed ? take_compressed(reader, offset, header->size, err)
			  : take_kernel(reader, offset, header->size, shared, err);
}

/*
 * perf drains one CPU's buffer after the other, and marks the end of a round through all of them:
 * records after a round are newer than the newest one at the end of the round before it.
 */
static void
end_round(struct perfdata_reader *reader)
{
	reader->ready_ns = reader->round_ns;
	reader->round_ns = reader->newest_ns;
}

/*
 * Whether records can be indexed in pieces, while they are read, so that the file is read once. Not
 * with several events (only at the end it is known which have samples), nor with build-ids among
 * the records (they can come after the mappings of their files) or copied records: both build-ids
 * and origins are sorted as a whole, not once for each piece.
 */
static bool
is_piecewise(const struct perfdata_reader *reader)
{
	return !reader->is_pipe && !reader->decompressor.stream && reader->events.count == 1 &&
	       reader->origins.count == 0 &&
	       reader->features.nbuild_ids == reader->features.nsorted;
}

/*
 * The start of a record is known only from the one before it, so each would be a cache miss.
 * Prefetches by the size of this one: most samples with copies of stacks are of one size.
 */
static void
fetch_ahead(const struct perfdata_reader *reader, uint64_t offset, size_t size)
{
	const char *at = reader->view->data + offset + FETCHED_RECORDS * size;

	__builtin_prefetch(at);
}

/* Finds records from reader->found on, up to an end of a round behind `until` or to the end. */
static int
walk(struct perfdata_reader *reader, uint64_t until, struct err *err)
{
	uint64_t end = reader->data.offset + reader->data.size;
	uint64_t offset = reader->found;
	bool stop = false;

	while (offset < end && !stop) {
		struct perf_event_header header = {0};
		uint64_t follow;

		if (end - offset >= sizeof(header))
			memcpy(&header, reader->view->data + offset, sizeof(header));
		/* Its size is not checked: this error says more. */
		if (header.type == USER_AUXTRACE)
			return err_set(err, ERR_INPUT,
				"%s: holds a hardware trace (at offset %" PRIu64
				"); turn it into samples: perf inject --itrace -i FILE -o FILE2",
				reader->path, offset);
		/* A pipe's header cannot state its size. */
		reader->truncated = reader->is_pipe &&
				    (end - offset < sizeof(header) || header.size > end - offset);
		if (reader->truncated) {
			offset = end;
			break;
		}
		if (header.size < sizeof(header) || header.size > end - offset)
			return err_size(reader, offset, header.size, err);
		fetch_ahead(reader, offset, header.size);
		if (take_record(reader, offset, &header, &follow, err) < 0)
			return -1;
		if (header.type == USER_FINISHED_ROUND)
			end_round(reader);
		offset += header.size;
		reader->truncated = follow > end - offset;
		offset = reader->truncated ? end : offset + follow;
		stop = header.type == USER_FINISHED_ROUND && offset > until && is_piecewise(reader);
		if (!is_piecewise(reader))
			reader_release_behind(reader, offset);
	}
	reader->found = offset;
	/* A file indexed as a whole is released once more, as it is read. */
	if (!is_piecewise(reader))
		reader->released = 0;
	return 0;
}

bool
reader_is_whole(const struct perfdata_reader *reader)
{
	return reader->found >= reader->data.offset + reader->data.size;
}

/* How many of the sorted moments are final: no record still to be found can precede them. */
static size_t
count_ready(const struct perfdata_reader *reader)
{
	if (reader_is_whole(reader))
		return reader->nmoments;
	return search_until(reader->moments, reader->nmoments, SEARCH_BY(struct moment, time_ns),
		reader->ready_ns);
}

/* Each CPU's records are in order of time already. */
static bool
is_sorted(const struct moment *moments, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (moments[i].time_ns < moments[i - 1].time_ns)
			return false;
	return true;
}

void
reader_sort(struct moment *moments, size_t count)
{
	if (is_sorted(moments, count))
		return;
	struct sort_key *keys = mem_zalloc(count, sizeof(*keys));
	struct moment *sorted = mem_zalloc(count, sizeof(*sorted));

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct sort_key){moments[i].time_ns, (uint32_t)i};
	sort_keys(keys, count);
	for (size_t i = 0; i < count; i++)
		sorted[i] = moments[keys[i].at];
	memcpy(moments, sorted, count * sizeof(*moments));
	free(sorted);
	free(keys);
}

/* A file up to this size is indexed before it is read; larger ones in pieces. */
#define FIRST_BYTES ((uint64_t)64 << 20)
#define PIECE_BYTES ((uint64_t)1 << 20)

int
reader_index(struct perfdata_reader *reader, struct err *err)
{
	bool first = reader->found == 0;

	if (first)
		reader->found = reader->data.offset;
	reader->nmoments -= reader->next;
	if (reader->nmoments > 0)
		memmove(reader->moments, reader->moments + reader->next,
			reader->nmoments * sizeof(*reader->moments));
	reader->next = 0;
	if (walk(reader, reader->found + (first ? FIRST_BYTES : PIECE_BYTES), err) < 0)
		return -1;
	if (reader->events.count == 0)
		return err_set(err, ERR_INPUT, "%s: describes no events%s", reader->path,
			reader->truncated ? ": cut off at the start" : "");
	if (reader_index_events(reader, err) < 0)
		return -1;
	/* The last expanded record is incomplete. */
	reader->truncated |= reader->decompressor.unread > 0;
	record_origins_sort(&reader->origins);
	perf_features_sort_build_ids(&reader->features);
	reader_sort(reader->moments, reader->nmoments);
	reader->nready = count_ready(reader);
	return 0;
}
