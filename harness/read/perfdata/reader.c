#include "perfdata/reader.h"

#include "base/buf.h"
#include "base/mem.h"
#include "perfdata/reader_internal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const hardware_names[] = {
	[PERF_COUNT_HW_CPU_CYCLES] = "cycles",
	[PERF_COUNT_HW_INSTRUCTIONS] = "instructions",
	[PERF_COUNT_HW_CACHE_REFERENCES] = "cache-references",
	[PERF_COUNT_HW_CACHE_MISSES] = "cache-misses",
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "branches",
	[PERF_COUNT_HW_BRANCH_MISSES] = "branch-misses",
	[PERF_COUNT_HW_BUS_CYCLES] = "bus-cycles",
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = "stalled-cycles-frontend",
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = "stalled-cycles-backend",
	[PERF_COUNT_HW_REF_CPU_CYCLES] = "ref-cycles",
};

static const char *const software_names[] = {
	[PERF_COUNT_SW_CPU_CLOCK] = "cpu-clock",
	[PERF_COUNT_SW_TASK_CLOCK] = "task-clock",
	[PERF_COUNT_SW_PAGE_FAULTS] = "page-faults",
	[PERF_COUNT_SW_CONTEXT_SWITCHES] = "context-switches",
	[PERF_COUNT_SW_CPU_MIGRATIONS] = "cpu-migrations",
	[PERF_COUNT_SW_PAGE_FAULTS_MIN] = "minor-faults",
	[PERF_COUNT_SW_PAGE_FAULTS_MAJ] = "major-faults",
	[PERF_COUNT_SW_ALIGNMENT_FAULTS] = "alignment-faults",
	[PERF_COUNT_SW_EMULATION_FAULTS] = "emulation-faults",
	[PERF_COUNT_SW_DUMMY] = "dummy",
	[PERF_COUNT_SW_BPF_OUTPUT] = "bpf-output",
};

void
perfdata_event_name(const struct perf_event_attr *attr, char *name, size_t size)
{
	const size_t nhardware = sizeof(hardware_names) / sizeof(hardware_names[0]);
	const size_t nsoftware = sizeof(software_names) / sizeof(software_names[0]);

	if (attr->type == PERF_TYPE_HARDWARE && attr->config < nhardware)
		snprintf(name, size, "%s", hardware_names[attr->config]);
	else if (attr->type == PERF_TYPE_SOFTWARE && attr->config < nsoftware)
		snprintf(name, size, "%s", software_names[attr->config]);
	else
		snprintf(name, size, "type %u config 0x%llx", attr->type,
			(unsigned long long)attr->config);
}

void
event_table_release(struct event_table *table)
{
	free(table->entries);
	free(table->ids);
	*table = (struct event_table){0};
}

void
event_table_add(struct event_table *table, struct arena *arena, const char *attr, size_t attr_bytes,
	struct file_bytes ids)
{
	if (table->count == table->capacity)
		table->entries = mem_grow(table->entries, &table->capacity, table->count + 1,
			sizeof(*table->entries));

	struct event_entry *entry = &table->entries[table->count++];
	struct perfdata_event *event = &entry->event;
	size_t known = attr_bytes < sizeof(event->attr) ? attr_bytes : sizeof(event->attr);

	*entry = (struct event_entry){0};
	memcpy(&event->attr, attr, known);
	event->nids = ids.left / sizeof(*event->ids);
	event->ids = arena_alloc(arena, ids.left + 1);
	file_bytes_take(&ids, event->ids, event->nids * sizeof(*event->ids));
	event->lbr = event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK &&
		     event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
	perfdata_event_name(&event->attr, event->name, sizeof(event->name));
	record_layout_init(&entry->layout, &event->attr);
}

static int
compare_ids(const void *a, const void *b)
{
	const struct event_id *one = a;
	const struct event_id *other = b;

	return (one->id > other->id) - (one->id < other->id);
}

/* Without knowing the event, its id must be found: the place is the same for all. */
static bool
ids_stand_alike(const struct record_layout *one, const struct record_layout *other)
{
	if (one->sample_id != other->sample_id)
		return false;
	if (one->trailer_words == 0 || other->trailer_words == 0)
		return true;
	return one->trailer_words - one->trailer_id == other->trailer_words - other->trailer_id;
}

int
event_table_index(struct event_table *table, const char *path, struct err *err)
{
	const struct event_entry *first = table->entries;
	bool build_ids = false;
	size_t count = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct event_entry *entry = &table->entries[i];

		build_ids |= entry->layout.build_ids;
		if (!ids_stand_alike(&entry->layout, &first->layout))
			return err_set(err, ERR_INPUT,
				"%s: events \"%s\" and \"%s\" lay their samples out differently, "
				"without PERF_SAMPLE_IDENTIFIER; record them one by one",
				path, first->event.name, entry->event.name);
		count += entry->event.nids;
	}
	/* perf's own records of processes that ran before bear the first event's number. */
	for (size_t i = 0; i < table->count; i++)
		table->entries[i].layout.build_ids = build_ids;
	free(table->ids);
	table->nids = 0;
	table->ids = mem_zalloc(count + 1, sizeof(*table->ids));
	for (size_t i = 0; i < table->count; i++)
		for (size_t k = 0; k < table->entries[i].event.nids; k++)
			table->ids[table->nids++] =
				(struct event_id){table->entries[i].event.ids[k], i};
	qsort(table->ids, table->nids, sizeof(*table->ids), compare_ids);
	table->by_id = table->count > 1 && first->layout.sample_id >= 0;
	return 0;
}

static const struct event_id *
find_id(const struct event_table *table, uint64_t id)
{
	const struct event_id key = {id, 0};

	if (table->nids == 0)
		return NULL;
	return bsearch(&key, table->ids, table->nids, sizeof(key), compare_ids);
}

struct event_entry *
event_table_find(struct event_table *table, uint64_t id)
{
	const struct event_id *found = find_id(table, id);

	return found ? &table->entries[found->event] : NULL;
}

bool
event_table_of(const struct event_table *table, const struct raw_record *raw, size_t *event)
{
	uint64_t id;

	*event = 0;
	if (!table->by_id)
		return true;
	/* Records that perf made up itself have id 0 and belong to the first event. */
	if (!raw_record_id(raw, &table->entries[0].layout, &id) || id == 0)
		return false;
	const struct event_id *found = find_id(table, id);

	if (found)
		*event = found->event;
	return found != NULL;
}

/* Set in the misc field of a build-id entry whose size byte holds. */
#define BUILD_ID_HAS_SIZE (1 << 15)
#define BUILD_ID_BYTES 20

void
perf_features_find(struct perf_features *features, const struct file_view *view, uint64_t table,
	const uint64_t bits[FEATURE_WORDS])
{
	struct file_section entry = {table, sizeof(struct file_section)};

	for (unsigned feature = 0; feature < FEATURES_MAX; feature++) {
		struct file_section section;

		if (!(bits[feature / 64] >> feature % 64 & 1))
			continue;
		if (!file_section_fits(entry, view->len))
			return;
		memcpy(&section, view->data + entry.offset, sizeof(section));
		entry.offset += sizeof(section);
		if (file_section_fits(section, view->len))
			features->sections[feature] = (struct file_bytes){
				view->data + section.offset, (size_t)section.size};
	}
}

/* A string: its length, padding included, and its bytes. Borrowed from the file, terminated. */
static const char *
take_text(struct file_bytes *bytes)
{
	struct file_bytes text;
	uint32_t len;

	if (!file_bytes_take(bytes, &len, sizeof(len)))
		return NULL;
	text = (struct file_bytes){bytes->at, len};
	return file_bytes_take(bytes, NULL, len) ? file_bytes_text(&text) : NULL;
}

static const char *
read_command(struct file_bytes bytes, struct arena *arena)
{
	struct buf text = {0};
	uint32_t count;

	if (!file_bytes_take(&bytes, &count, sizeof(count)))
		return NULL;
	for (uint32_t i = 0; i < count; i++) {
		const char *arg = take_text(&bytes);

		if (!arg)
			break;
		if (i > 0)
			buf_putc(&text, ' ');
		buf_puts(&text, arg);
	}
	const char *command = text.len > 0 ? arena_dup(arena, text.data, text.len) : NULL;

	buf_release(&text);
	return command;
}

void
perf_features_add_build_id(struct perf_features *features, const char *record, size_t record_bytes)
{
	struct {
		struct perf_event_header header;
		uint32_t pid;
		unsigned char id[BUILD_ID_BYTES];
		unsigned char len;
		unsigned char pad[3];
	} entry;
	struct file_bytes bytes = {record, record_bytes};
	const char *path =
		file_bytes_take(&bytes, &entry, sizeof(entry)) ? file_bytes_text(&bytes) : NULL;
	size_t len = BUILD_ID_BYTES;

	if (!path)
		return;
	if (entry.header.misc & BUILD_ID_HAS_SIZE && entry.len <= BUILD_ID_BYTES)
		len = entry.len;
	features->build_ids = mem_grow(features->build_ids, &features->build_ids_capacity,
		features->nbuild_ids + 1, sizeof(*features->build_ids));
	features->build_ids[features->nbuild_ids++] = (struct build_id_entry){
		.path = path,
		.id = (const unsigned char *)record + offsetof(__typeof__(entry), id),
		.len = len,
		.record = record,
		.record_bytes = record_bytes,
	};
}

static void
read_build_ids(struct perf_features *features, struct file_bytes bytes)
{
	struct perf_event_header header;

	while (bytes.left >= sizeof(header)) {
		const char *record = bytes.at;

		memcpy(&header, record, sizeof(header));
		if (header.size < sizeof(header) || !file_bytes_take(&bytes, NULL, header.size))
			break;
		perf_features_add_build_id(features, record, header.size);
	}
}

static int
compare_build_ids(const void *a, const void *b)
{
	const struct build_id_entry *one = a;
	const struct build_id_entry *other = b;

	return strcmp(one->path, other->path);
}

void
perf_features_sort_build_ids(struct perf_features *features)
{
	if (features->nbuild_ids > features->nsorted)
		qsort(features->build_ids, features->nbuild_ids, sizeof(*features->build_ids),
			compare_build_ids);
	features->nsorted = features->nbuild_ids;
}

static void
name_events(struct file_bytes bytes, struct event_table *events)
{
	uint32_t count;
	uint32_t attr_size;

	if (!file_bytes_take(&bytes, &count, sizeof(count)) ||
		!file_bytes_take(&bytes, &attr_size, sizeof(attr_size)))
		return;
	for (uint32_t i = 0; i < count && i < events->count; i++) {
		struct event_entry *entry = &events->entries[i];
		uint32_t nids;
		uint64_t id;

		if (!file_bytes_take(&bytes, NULL, attr_size) ||
			!file_bytes_take(&bytes, &nids, sizeof(nids)))
			return;
		const char *name = take_text(&bytes);

		if (!name || nids > bytes.left / sizeof(id))
			return;
		if (nids > 0) {
			memcpy(&id, bytes.at, sizeof(id));
			entry = event_table_find(events, id);
			file_bytes_take(&bytes, NULL, (size_t)nids * sizeof(id));
		}
		if (entry && *name)
			snprintf(entry->event.name, sizeof(entry->event.name), "%s", name);
	}
}

void
perf_features_read(struct perf_features *features, struct event_table *events, struct arena *arena)
{
	const struct {
		enum feature_bit bit;
		const char **text;
	} texts[] = {
		{FEATURE_HOSTNAME, &features->texts.hostname},
		{FEATURE_OSRELEASE, &features->texts.os_release},
		{FEATURE_ARCH, &features->texts.arch},
		{FEATURE_CPUDESC, &features->texts.cpu_model},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct file_bytes bytes = features->sections[texts[i].bit];
		const char *text = take_text(&bytes);

		*texts[i].text = text ? arena_strdup(arena, text) : NULL;
	}
	struct file_bytes clock = features->sections[FEATURE_CLOCK_DATA];

	if (!file_bytes_take(&clock, &features->clock, sizeof(features->clock)))
		features->clock.version = 0;
	features->texts.command = read_command(features->sections[FEATURE_CMDLINE], arena);
	name_events(features->sections[FEATURE_EVENT_DESC], events);
	read_build_ids(features, features->sections[FEATURE_BUILD_ID]);
	perf_features_sort_build_ids(features);
}

void
perf_features_release(struct perf_features *features)
{
	free(features->build_ids);
	*features = (struct perf_features){0};
}

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
