/*
 * The feature sections of a perf.data file: texts, build-ids and the names of events.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "perfdata/reader_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
