#include "perfdata/reader.h"

#include "base/arena.h"
#include "base/mem.h"
#include "perfdata/decode.h"
#include "perfdata/event_name.h"
#include "perfdata/features.h"
#include "perfdata/timeline.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* "PERFILE2" as the writing machine's 64-bit number. */
#define MAGIC UINT64_C(0x32454c4946524550)
/* Bytes of a pipe's header: magic and size, nothing else. */
#define PIPE_HEADER_BYTES 16
/* The attributes as first published; no file has fewer. */
#define ATTR_BYTES_MIN PERF_ATTR_SIZE_VER0

/* Records that perf itself puts between those of the kernel, and that change how to read on. */
enum user_record {
	RECORD_AUXTRACE = 71,
	RECORD_COMPRESSED = 81,
	RECORD_COMPRESSED2 = 83,
};

struct perf_header {
	uint64_t magic;
	uint64_t size;
	uint64_t attr_size; /* of one attribute and the section of its ids */
	struct file_section attrs;
	struct file_section data;
	struct file_section event_types;
	uint64_t features[FEATURE_WORDS];
};

struct id_entry {
	uint64_t id;
	size_t event;
};

struct perfdata_reader {
	const struct file_view *view;
	const char *path;
	struct arena arena;
	struct perf_header header;
	struct perfdata_event *events;
	struct record_layout *layouts; /* one an event */
	uint64_t *nsamples;            /* one an event */
	size_t nevents;
	struct id_entry *ids; /* by id */
	size_t nids;
	bool has_ids; /* records say which event they belong to */
	struct perf_features features;
	struct moment *moments;
	size_t nmoments;
	size_t moments_capacity;
	size_t next;
};

bool
perfdata_detect(const char *bytes, size_t len)
{
	static const char *const magics[] = {"PERFILE2", "2ELIFREP", "PERFFILE", "ELIFFREP"};

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (len >= 8 && memcmp(bytes, magics[i], 8) == 0)
			return true;
	return false;
}

static int
check_header(const struct perfdata_reader *reader, struct err *err)
{
	const struct perf_header *header = &reader->header;
	const char *path = reader->path;
	size_t len = reader->view->len;

	if (header->size != sizeof(*header))
		return err_set(err, ERR_INPUT,
			"%s: perf.data header of %" PRIu64 " bytes, expected %zu", path,
			header->size, sizeof(*header));
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
	if (!file_section_fits(header->attrs, len) ||
		header->attr_size < ATTR_BYTES_MIN + sizeof(struct file_section) ||
		header->attrs.size < header->attr_size ||
		header->attrs.size % header->attr_size != 0)
		return err_set(err, ERR_INPUT,
			"%s: perf.data header describes no valid event attributes (%" PRIu64
			" bytes at offset %" PRIu64 ", %" PRIu64 " each)",
			path, header->attrs.size, header->attrs.offset, header->attr_size);
	if (header->data.offset % 8 != 0 || header->attrs.offset % 8 != 0)
		return err_set(err, ERR_INPUT, "%s: perf.data sections are not aligned", path);
	return 0;
}

static int
read_header(struct perfdata_reader *reader, struct err *err)
{
	const struct file_view *view = reader->view;
	uint64_t head[2] = {0, 0};

	memcpy(head, view->data, view->len < sizeof(head) ? view->len : sizeof(head));
	if (head[0] == __builtin_bswap64(MAGIC))
		return err_set(err, ERR_INPUT,
			"%s: perf.data of a machine with the other byte order; read it there: "
			"perf script > FILE, then give FILE",
			reader->path);
	if (head[0] != MAGIC)
		return err_set(err, ERR_INPUT,
			"%s: not a perf.data file of version 2 (perf since Linux 3.0)",
			reader->path);
	if (head[1] == PIPE_HEADER_BYTES)
		return err_set(err, ERR_INPUT,
			"%s: perf.data written to a pipe; make a file of it: "
			"perf inject -i FILE -o perf.data, or record with -o FILE",
			reader->path);
	if (view->len < sizeof(reader->header))
		return err_set(err, ERR_INPUT,
			"%s: truncated: a perf.data header has %zu bytes, the file ends at %zu",
			reader->path, sizeof(reader->header), view->len);
	memcpy(&reader->header, view->data, sizeof(reader->header));
	return check_header(reader, err);
}

static int
read_ids(struct perfdata_reader *reader, struct perfdata_event *event, struct file_section ids,
	struct err *err)
{
	if (!file_section_fits(ids, reader->view->len) || ids.size % sizeof(uint64_t) != 0)
		return err_set(err, ERR_INPUT,
			"%s: ids of an event lie outside of the file (%" PRIu64
			" bytes at offset %" PRIu64 ")",
			reader->path, ids.size, ids.offset);
	event->nids = (size_t)ids.size / sizeof(uint64_t);
	event->ids = arena_alloc(&reader->arena, (size_t)ids.size + 1);
	memcpy(event->ids, reader->view->data + ids.offset, (size_t)ids.size);
	return 0;
}

static int
read_events(struct perfdata_reader *reader, struct err *err)
{
	const struct perf_header *header = &reader->header;
	size_t attr_bytes = (size_t)header->attr_size - sizeof(struct file_section);
	size_t total_ids = 0;

	reader->nevents = (size_t)(header->attrs.size / header->attr_size);
	reader->events = mem_zalloc(reader->nevents, sizeof(*reader->events));
	reader->layouts = mem_zalloc(reader->nevents, sizeof(*reader->layouts));
	reader->nsamples = mem_zalloc(reader->nevents, sizeof(*reader->nsamples));
	for (size_t i = 0; i < reader->nevents; i++) {
		struct perfdata_event *event = &reader->events[i];
		const char *at = reader->view->data + header->attrs.offset + i * header->attr_size;
		size_t known = attr_bytes < sizeof(event->attr) ? attr_bytes : sizeof(event->attr);
		struct file_section ids;

		memcpy(&event->attr, at, known);
		memcpy(&ids, at + attr_bytes, sizeof(ids));
		/* Hostile headers could name one large section of ids many times over. */
		total_ids += (size_t)ids.size;
		if (total_ids > reader->view->len)
			return err_set(err, ERR_INPUT, "%s: more event ids than the file holds",
				reader->path);
		if (read_ids(reader, event, ids, err) < 0)
			return -1;
		event_name_from_attr(&event->attr, event->name, sizeof(event->name));
		record_layout_init(&reader->layouts[i], &event->attr);
	}
	return 0;
}

static int
compare_ids(const void *a, const void *b)
{
	const struct id_entry *one = a;
	const struct id_entry *other = b;

	return (one->id > other->id) - (one->id < other->id);
}

/* Makes the table from id to event; all events must keep the id in the same place. */
static int
index_ids(struct perfdata_reader *reader, struct err *err)
{
	size_t count = 0;

	if (reader->nevents == 1)
		return 0;
	for (size_t i = 0; i < reader->nevents; i++) {
		if (reader->layouts[i].sample_id != reader->layouts[0].sample_id)
			return err_set(err, ERR_INPUT,
				"%s: events \"%s\" and \"%s\" lay their samples out differently, "
				"without PERF_SAMPLE_IDENTIFIER; record them one by one",
				reader->path, reader->events[0].name, reader->events[i].name);
		count += reader->events[i].nids;
	}
	reader->ids = mem_zalloc(count + 1, sizeof(*reader->ids));
	for (size_t i = 0; i < reader->nevents; i++)
		for (size_t k = 0; k < reader->events[i].nids; k++)
			reader->ids[reader->nids++] =
				(struct id_entry){reader->events[i].ids[k], i};
	qsort(reader->ids, reader->nids, sizeof(*reader->ids), compare_ids);
	reader->has_ids = reader->layouts[0].sample_id >= 0;
	return 0;
}

/* The event of `id`; records that perf made up itself have id 0 and belong to the first. */
static size_t
event_of_id(const struct perfdata_reader *reader, uint64_t id, bool *known)
{
	struct id_entry key = {id, 0};
	const struct id_entry *found =
		id == 0 ? NULL : bsearch(&key, reader->ids, reader->nids, sizeof(key), compare_ids);

	*known = found != NULL;
	return found ? found->event : 0;
}

static size_t
event_of(const struct perfdata_reader *reader, const struct raw_record *raw, bool *known)
{
	uint64_t id;

	*known = true;
	if (!reader->has_ids)
		return 0;
	if (!raw_record_id(raw, &reader->layouts[0], &id)) {
		*known = false;
		return 0;
	}
	return event_of_id(reader, id, known);
}

/* The record at `offset`, whose header has been checked when the file was indexed. */
static struct raw_record
raw_at(const struct perfdata_reader *reader, uint64_t offset)
{
	const char *at = reader->view->data + offset;
	struct perf_event_header header;

	memcpy(&header, at, sizeof(header));
	return (struct raw_record){
		.type = header.type,
		.misc = header.misc,
		.words = (const uint64_t *)(const void *)(at + sizeof(header)),
		.nwords = (header.size - sizeof(header)) / sizeof(uint64_t),
	};
}

/* Refuses what would make the records after it unreadable. */
static int
check_type(const struct perfdata_reader *reader, uint32_t type, uint64_t offset, struct err *err)
{
	if (type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2)
		return err_set(err, ERR_INPUT,
			"%s: records are compressed (at offset %" PRIu64
			"); record without -z, or expand them: perf inject -i FILE -o FILE2",
			reader->path, offset);
	if (type == RECORD_AUXTRACE)
		return err_set(err, ERR_INPUT,
			"%s: holds a hardware trace (at offset %" PRIu64
			"); turn it into samples: perf inject --itrace -i FILE -o FILE2",
			reader->path, offset);
	return 0;
}

static void
add_moment(struct perfdata_reader *reader, uint64_t time_ns, uint64_t offset)
{
	if (reader->nmoments == reader->moments_capacity)
		reader->moments = mem_grow(reader->moments, &reader->moments_capacity,
			reader->nmoments + 1, sizeof(*reader->moments));
	reader->moments[reader->nmoments++] = (struct moment){time_ns, offset};
}

static int
index_records(struct perfdata_reader *reader, struct err *err)
{
	uint64_t offset = reader->header.data.offset;
	uint64_t end = offset + reader->header.data.size;
	uint64_t last_ns = 0;

	while (offset < end) {
		struct perf_event_header header = {0};

		if (end - offset >= sizeof(header))
			memcpy(&header, reader->view->data + offset, sizeof(header));
		/* Some of what is refused may have any size: that it is refused says more. */
		if (check_type(reader, header.type, offset, err) < 0)
			return -1;
		if (header.size < sizeof(header) || header.size > end - offset ||
			header.size % sizeof(uint64_t) != 0)
			return err_set(err, ERR_INPUT,
				"%s: broken record at offset %" PRIu64 ": its size of %u bytes is "
				"not possible with %" PRIu64 " bytes to the end",
				reader->path, offset, header.size, end - offset);
		if (decode_knows(header.type)) {
			struct raw_record raw = raw_at(reader, offset);
			bool known;
			size_t event = event_of(reader, &raw, &known);
			uint64_t time_ns = raw_record_time(&raw, &reader->layouts[event]);

			/* A record without time stays where it is, after the one before it. */
			last_ns = time_ns ? time_ns : last_ns;
			add_moment(reader, last_ns, offset);
			if (known && header.type == PERF_RECORD_SAMPLE)
				reader->nsamples[event]++;
		}
		offset += header.size;
	}
	timeline_sort(reader->moments, reader->nmoments);
	return 0;
}

struct perfdata_reader *
perfdata_open(const struct file_view *view, const char *path, struct err *err)
{
	struct perfdata_reader *reader = mem_zalloc(1, sizeof(*reader));

	assert((uintptr_t)view->data % sizeof(uint64_t) == 0);
	reader->view = view;
	reader->path = path;
	arena_init(&reader->arena);
	if (read_header(reader, err) < 0 || read_events(reader, err) < 0 ||
		index_ids(reader, err) < 0)
		goto fail;

	const struct perf_header *header = &reader->header;
	uint64_t table = header->data.offset + header->data.size;

	perf_features_read(&reader->features, view, table, header->features, &reader->arena);
	perf_features_name_events(view, table, header->features, reader->events, reader->nevents);
	if (index_records(reader, err) < 0)
		goto fail;
	return reader;
fail:
	perfdata_close(reader);
	return NULL;
}

void
perfdata_close(struct perfdata_reader *reader)
{
	if (!reader)
		return;
	perf_features_release(&reader->features);
	arena_release(&reader->arena);
	free(reader->events);
	free(reader->layouts);
	free(reader->nsamples);
	free(reader->ids);
	free(reader->moments);
	free(reader);
}

size_t
perfdata_nevents(const struct perfdata_reader *reader)
{
	return reader->nevents;
}

const struct perfdata_event *
perfdata_event(const struct perfdata_reader *reader, size_t event)
{
	return &reader->events[event];
}

uint64_t
perfdata_nsamples(const struct perfdata_reader *reader, size_t event)
{
	return reader->nsamples[event];
}

const char *
perfdata_command(const struct perfdata_reader *reader)
{
	return reader->features.command;
}

const char *
perfdata_hostname(const struct perfdata_reader *reader)
{
	return reader->features.hostname;
}

const char *
perfdata_os_release(const struct perfdata_reader *reader)
{
	return reader->features.os_release;
}

const char *
perfdata_arch(const struct perfdata_reader *reader)
{
	return reader->features.arch;
}

const char *
perfdata_cpu_model(const struct perfdata_reader *reader)
{
	return reader->features.cpu_model;
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

int
perfdata_next(struct perfdata_reader *reader, struct record *record, struct err *err)
{
	while (reader->next < reader->nmoments) {
		uint64_t offset = reader->moments[reader->next++].offset;
		struct raw_record raw = raw_at(reader, offset);
		bool known;
		size_t event = event_of(reader, &raw, &known);

		/* perf counts such samples as of an unknown event and passes over them, too. */
		if (!known && raw.type == PERF_RECORD_SAMPLE)
			continue;
		const char *problem = decode_record(&raw, &reader->layouts[event], record);

		if (problem)
			return err_set(err, ERR_INPUT,
				"%s: broken record at offset %" PRIu64 ": %s", reader->path, offset,
				problem);
		record->event = event;
		record->file_offset = offset;
		return 1;
	}
	return 0;
}
