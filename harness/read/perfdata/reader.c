#include "perfdata/reader.h"

#include "base/mem.h"
#include "perfdata/reader_internal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool
perfdata_detect(const char *bytes, size_t len)
{
	static const char *const magics[] = {"PERFILE2", "2ELIFREP", "PERFFILE", "ELIFFREP"};

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (len >= 8 && memcmp(bytes, magics[i], 8) == 0)
			return true;
	return false;
}

/* Events that are indexed, altogether: a pipe's come one by one, but ahead of the samples. */
#define INDEXING_MAX ((uint64_t)1 << 20)

struct perfdata_reader *
perfdata_open(const struct file_view *view, const char *path, struct err *err)
{
	struct perfdata_reader *reader = mem_zalloc(1, sizeof(*reader));

	assert((uintptr_t)view->data % sizeof(uint64_t) == 0);
	reader->view = view;
	reader->path = path;
	reader->indexing.left = INDEXING_MAX;
	reader->expanded.origins = &reader->origins;
	reader->decompressor.store = &reader->expanded;
	reader->aligned.origins = &reader->origins;
	if (reader_read_header(reader, err) < 0 || reader_index(reader, err) < 0) {
		perfdata_close(reader);
		return NULL;
	}
	perf_features_read(&reader->features, &reader->events, &reader->arena);
	return reader;
}

void
perfdata_close(struct perfdata_reader *reader)
{
	if (!reader)
		return;
	perf_features_release(&reader->features);
	event_table_release(&reader->events);
	decompressor_release(&reader->decompressor);
	record_store_release(&reader->expanded);
	record_store_release(&reader->aligned);
	shared_samples_release(&reader->shared);
	record_origins_release(&reader->origins);
	arena_release(&reader->arena);
	free(reader->others);
	free(reader->moments);
	free(reader);
}

size_t
perfdata_nevents(const struct perfdata_reader *reader)
{
	return reader->events.count;
}

const struct perfdata_event *
perfdata_event(const struct perfdata_reader *reader, size_t event)
{
	return &reader->events.entries[event].event;
}

bool
perfdata_truncated(const struct perfdata_reader *reader)
{
	return reader->truncated;
}

const struct perfdata_texts *
perfdata_texts(const struct perfdata_reader *reader)
{
	return &reader->features.texts;
}

int64_t
perfdata_date(const struct perfdata_reader *reader, size_t event, uint64_t time_ns)
{
	const struct clock_feature *clock = &reader->features.clock;
	const struct perf_event_attr *attr = &reader->events.entries[event].event.attr;

	if (clock->version != 1 || !attr->use_clockid || (uint32_t)attr->clockid != clock->clockid)
		return 0;
	int64_t date_ns = (int64_t)(clock->wall_ns - (clock->clock_ns - time_ns));

	return date_ns > 0 ? date_ns / 1000000000 : 0;
}

static int
compare_path(const void *key, const void *entry)
{
	return strcmp(key, ((const struct build_id_entry *)entry)->path);
}

size_t
perfdata_build_id(const struct perfdata_reader *reader, const char *path, const unsigned char **id)
{
	const struct build_id_entry *found = NULL;

	if (reader->features.nbuild_ids > 0)
		found = bsearch(path, reader->features.build_ids, reader->features.nbuild_ids,
			sizeof(*found), compare_path);
	if (!found)
		return 0;
	*id = found->id;
	return found->len;
}

/* The record at `at`, as perf would have written it; NULL if it is broken. */
static const char *
whole_record(struct perfdata_reader *reader, const char *at, struct err *err)
{
	struct perf_event_header header;
	const char *problem;

	memcpy(&header, at, sizeof(header));
	if (header.type != USER_SHARED_STACK)
		return at;
	const char *first = reader->view->data + reader->data.offset;
	const char *whole = shared_samples_expand(&reader->shared, at, first, &problem);

	if (!whole)
		err_set(err, ERR_INPUT, "%s: broken shared stack at offset %" PRIu64 ": %s",
			reader->path, reader_offset(reader, at), problem);
	return whole;
}

/* 1 where there is a record to be read next, 0 at the end, -1 on error. */
static int
find_ready(struct perfdata_reader *reader, struct err *err)
{
	while (reader->next == reader->nready) {
		if (reader_is_whole(reader))
			return 0;
		if (reader_index(reader, err) < 0)
			return -1;
	}
	return 1;
}

/* Prefetches the decoded parts of a sample: its start and, behind a copy of the stack, its end. */
static void
fetch_ahead(const struct perfdata_reader *reader)
{
	size_t ahead = reader->next + FETCHED_RECORDS;

	if (ahead >= reader->nready)
		return;
	const char *record = reader->moments[ahead].record;
	struct perf_event_header header;

	memcpy(&header, record, sizeof(header));
	for (size_t at = 64; at < header.size && at <= 192; at += 64)
		__builtin_prefetch(record + at);
	__builtin_prefetch(record + header.size - sizeof(uint64_t));
}

/* The period of a sample that does not state it is its event's, as perf has it. */
static void
set_period(const struct perfdata_event *event, struct record *record)
{
	if (record->type == PERF_RECORD_SAMPLE && !(event->attr.sample_type & PERF_SAMPLE_PERIOD))
		record->u.sample.period = event->attr.sample_period;
}

int
perfdata_next(struct perfdata_reader *reader, struct record *record, struct err *err)
{
	int status;

	while ((status = find_ready(reader, err)) > 0) {
		const char *at = reader->moments[reader->next++].record;

		fetch_ahead(reader);
		struct raw_record raw = reader_raw(at);
		size_t event;

		/* perf counts such samples as of an unknown event and passes over them, too. */
		if (!event_table_of(&reader->events, &raw, &event) &&
			raw.type == PERF_RECORD_SAMPLE)
			continue;
		const char *whole = whole_record(reader, at, err);

		if (!whole)
			return -1;
		raw = reader_raw(whole);

		const char *problem =
			decode_record(&raw, &reader->events.entries[event].layout, record);

		set_period(&reader->events.entries[event].event, record);
		record->event = event;
		record->file_offset = reader_offset(reader, at);
		reader_release_behind(reader, record->file_offset);
		if (problem)
			return err_set(err, ERR_INPUT,
				"%s: broken record at offset %" PRIu64 ": %s", reader->path,
				record->file_offset, problem);
		return 1;
	}
	return status;
}
