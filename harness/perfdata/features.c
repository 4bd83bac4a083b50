#include "perfdata/features.h"

#include "base/buf.h"
#include "base/mem.h"
#include "perfdata/feature_bits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Set in the misc field of a build-id entry whose size byte holds. */
#define BUILD_ID_HAS_SIZE (1 << 15)
#define BUILD_ID_BYTES 20

/* A section being read; every read is checked. */
struct bytes {
	const char *at;
	size_t left;
};

bool
file_section_fits(struct file_section section, size_t len)
{
	return section.offset <= len && section.size <= len - section.offset;
}

static bool
take_bytes(struct bytes *bytes, void *to, size_t count)
{
	if (count > bytes->left)
		return false;
	if (to)
		memcpy(to, bytes->at, count);
	bytes->at += count;
	bytes->left -= count;
	return true;
}

/* A string: its length, padding included, and its bytes. Borrowed from the file, terminated. */
static const char *
take_text(struct bytes *bytes)
{
	uint32_t len;

	if (!take_bytes(bytes, &len, sizeof(len)) || len > bytes->left)
		return NULL;
	const char *text = bytes->at;

	take_bytes(bytes, NULL, len);
	return memchr(text, '\0', len) ? text : NULL;
}

static bool
find_feature(const struct file_view *view, uint64_t table, const uint64_t bits[FEATURE_WORDS],
	unsigned feature, struct bytes *bytes)
{
	struct file_section section;
	uint64_t before = 0;

	if (!(bits[feature / 64] >> feature % 64 & 1))
		return false;
	for (unsigned i = 0; i < feature; i++)
		before += bits[i / 64] >> i % 64 & 1;

	struct file_section entry = {table + before * sizeof(section), sizeof(section)};

	if (table > view->len || !file_section_fits(entry, view->len))
		return false;
	memcpy(&section, view->data + entry.offset, sizeof(section));
	if (!file_section_fits(section, view->len))
		return false;
	*bytes = (struct bytes){view->data + section.offset, (size_t)section.size};
	return true;
}

static const char *
read_command(struct bytes *bytes, struct arena *arena)
{
	struct buf text;
	uint32_t count;

	if (!take_bytes(bytes, &count, sizeof(count)))
		return NULL;
	buf_init(&text);
	for (uint32_t i = 0; i < count; i++) {
		const char *arg = take_text(bytes);

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

static int
compare_build_ids(const void *a, const void *b)
{
	const struct build_id_entry *one = a;
	const struct build_id_entry *other = b;

	return strcmp(one->path, other->path);
}

static void
read_build_ids(struct perf_features *features, struct bytes *bytes)
{
	struct {
		struct perf_event_header header;
		uint32_t pid;
		unsigned char id[BUILD_ID_BYTES];
		unsigned char len;
		unsigned char pad[3];
	} entry;
	size_t capacity = 0;

	while (bytes->left >= sizeof(entry)) {
		const char *start = bytes->at;

		memcpy(&entry, start, sizeof(entry));
		if (!take_bytes(bytes, NULL, entry.header.size) ||
			entry.header.size <= sizeof(entry))
			break;
		const char *path = start + sizeof(entry);

		if (!memchr(path, '\0', entry.header.size - sizeof(entry)))
			break;
		features->build_ids = mem_grow(features->build_ids, &capacity,
			features->nbuild_ids + 1, sizeof(*features->build_ids));

		struct build_id_entry *to = &features->build_ids[features->nbuild_ids++];
		size_t len = BUILD_ID_BYTES;

		if (entry.header.misc & BUILD_ID_HAS_SIZE && entry.len <= BUILD_ID_BYTES)
			len = entry.len;
		to->path = path;
		to->id = (const unsigned char *)start + offsetof(__typeof__(entry), id);
		to->len = len;
	}
	if (features->nbuild_ids > 0)
		qsort(features->build_ids, features->nbuild_ids, sizeof(*features->build_ids),
			compare_build_ids);
}

void
perf_features_read(struct perf_features *features, const struct file_view *view, uint64_t table,
	const uint64_t bits[FEATURE_WORDS], struct arena *arena)
{
	const struct {
		enum feature_bit bit;
		const char **text;
	} texts[] = {
		{FEATURE_HOSTNAME, &features->hostname},
		{FEATURE_OSRELEASE, &features->os_release},
		{FEATURE_ARCH, &features->arch},
		{FEATURE_CPUDESC, &features->cpu_model},
	};
	struct bytes bytes;

	*features = (struct perf_features){0};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (!find_feature(view, table, bits, texts[i].bit, &bytes))
			continue;
		const char *text = take_text(&bytes);

		*texts[i].text = text ? arena_strdup(arena, text) : NULL;
	}
	if (find_feature(view, table, bits, FEATURE_CMDLINE, &bytes))
		features->command = read_command(&bytes, arena);
	if (find_feature(view, table, bits, FEATURE_BUILD_ID, &bytes))
		read_build_ids(features, &bytes);
}

void
perf_features_release(struct perf_features *features)
{
	free(features->build_ids);
	*features = (struct perf_features){0};
}

/* The index of the event that has `id`; `nevents` if none has. */
static size_t
event_with_id(const struct perfdata_event *events, size_t nevents, uint64_t id)
{
	for (size_t i = 0; i < nevents; i++)
		for (size_t k = 0; k < events[i].nids; k++)
			if (events[i].ids[k] == id)
				return i;
	return nevents;
}

void
perf_features_name_events(const struct file_view *view, uint64_t table,
	const uint64_t bits[FEATURE_WORDS], struct perfdata_event *events, size_t nevents)
{
	struct bytes bytes;
	uint32_t count;
	uint32_t attr_size;

	if (!find_feature(view, table, bits, FEATURE_EVENT_DESC, &bytes) ||
		!take_bytes(&bytes, &count, sizeof(count)) ||
		!take_bytes(&bytes, &attr_size, sizeof(attr_size)))
		return;
	for (uint32_t i = 0; i < count && i < nevents; i++) {
		size_t event = i;
		uint32_t nids;
		const char *name;
		uint64_t id;

		if (!take_bytes(&bytes, NULL, attr_size) ||
			!take_bytes(&bytes, &nids, sizeof(nids)))
			return;
		name = take_text(&bytes);
		if (!name || nids > bytes.left / sizeof(id))
			return;
		if (nids > 0) {
			memcpy(&id, bytes.at, sizeof(id));
			event = event_with_id(events, nevents, id);
			take_bytes(&bytes, NULL, (size_t)nids * sizeof(id));
		}
		if (event < nevents && *name)
			snprintf(events[event].name, sizeof(events[event].name), "%s", name);
	}
}
