#include "perfdata/reader.h"

#include "base/mem.h"
#include "perfdata/reader_internal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The attributes as first published; no file has fewer. */
#define ATTR_BYTES_MIN PERF_ATTR_SIZE_VER0

static int
check_data(const struct perfdata_reader *reader, const struct perf_file_header *header,
	struct err *err)
{
	const char *path = reader->path;
	size_t len = reader->view->len;

	/* perf record --threads writes a folder, of which this is one file. */
	if (header->features[0] >> FEATURE_DIR_FORMAT & 1)
		return err_set(err, ERR_INPUT,
			"%s: part of a perf.data folder (perf record --threads); record without "
			"--threads",
			path);
	/* perf since Linux 5.x does not read the records of such a file either. */
	if (header->data.size == 0)
		return err_set(err, ERR_INPUT,
			"%s: perf.data header says there are no records: the recording was "
			"killed before it could finish; record again",
			path);
	if (!file_section_fits(header->data, len))
		return err_set(err, ERR_INPUT,
			"%s: truncated: records should reach to offset %" PRIu64
			", the file ends at %zu",
			path, header->data.offset + header->data.size, len);
	return 0;
}

static int
check_header(const struct perfdata_reader *reader, const struct perf_file_header *header,
	struct err *err)
{
	const char *path = reader->path;

	if (header->size != sizeof(*header))
		return err_set(err, ERR_INPUT,
			"%s: perf.data header of %" PRIu64 " bytes, expected %zu", path,
			header->size, sizeof(*header));
	if (check_data(reader, header, err) < 0)
		return -1;
	if (!file_section_fits(header->attrs, reader->view->len) ||
		header->attr_size < ATTR_BYTES_MIN + sizeof(struct file_section) ||
		header->attrs.size < header->attr_size ||
		header->attrs.size % header->attr_size != 0)
		return err_set(err, ERR_INPUT,
			"%s: perf.data header describes no valid event attributes (%" PRIu64
			" bytes at offset %" PRIu64 ", %" PRIu64 " each)",
			path, header->attrs.size, header->attrs.offset, header->attr_size);
	return 0;
}

static int
read_events(struct perfdata_reader *reader, const struct perf_file_header *header, struct err *err)
{
	const struct file_view *view = reader->view;
	size_t attr_bytes = (size_t)header->attr_size - sizeof(struct file_section);
	size_t nevents = (size_t)(header->attrs.size / header->attr_size);
	size_t total_ids = 0;

	for (size_t i = 0; i < nevents; i++) {
		const char *at = view->data + header->attrs.offset + i * header->attr_size;
		struct file_section ids;

		memcpy(&ids, at + attr_bytes, sizeof(ids));
		if (!file_section_fits(ids, view->len) || ids.size % sizeof(uint64_t) != 0)
			return err_set(err, ERR_INPUT,
				"%s: ids of an event lie outside of the file (%" PRIu64
				" bytes at offset %" PRIu64 ")",
				reader->path, ids.size, ids.offset);
		/* Hostile headers could name one large section of ids many times over. */
		total_ids += (size_t)ids.size;
		if (total_ids > view->len)
			return err_set(err, ERR_INPUT, "%s: more event ids than the file holds",
				reader->path);
		event_table_add(&reader->events, &reader->arena, at, attr_bytes,
			(struct file_bytes){view->data + ids.offset, (size_t)ids.size});
	}
	return event_table_index(&reader->events, reader->path, err);
}

/* Reads the header and, but for a pipe, events and feature sections. */
static int
reader_read_header(struct perfdata_reader *reader, struct err *err)
{
	const struct file_view *view = reader->view;
	struct perf_file_header header = {0};
	size_t len = view->len < sizeof(header) ? view->len : sizeof(header);

	memcpy(&header, view->data, len);
	if (header.magic == __builtin_bswap64(PERF_FILE_MAGIC))
		return err_set(err, ERR_INPUT,
			"%s: perf.data of a machine with the other byte order; read it there: "
			"perf script > FILE, then give FILE",
			reader->path);
	if (header.magic != PERF_FILE_MAGIC)
		return err_set(err, ERR_INPUT,
			"%s: not a perf.data file of version 2 (perf since Linux 3.0)",
			reader->path);
	if (header.size == PERF_PIPE_HEADER_BYTES && len >= PERF_PIPE_HEADER_BYTES) {
		reader->is_pipe = true;
		reader->data = (struct file_section){
			PERF_PIPE_HEADER_BYTES, view->len - PERF_PIPE_HEADER_BYTES};
		return 0;
	}
	if (len < sizeof(header))
		return err_set(err, ERR_INPUT,
			"%s: truncated: a perf.data header has %zu bytes, the file ends at %zu",
			reader->path, sizeof(header), view->len);
	if (check_header(reader, &header, err) < 0)
		return -1;
	reader->data = header.data;
	perf_features_find(
		&reader->features, view, header.data.offset + header.data.size, header.features);
	return read_events(reader, &header, err);
}

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
