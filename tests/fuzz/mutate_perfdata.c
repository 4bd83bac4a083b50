/*
 * perf.data: one record is changed, repeated, removed or compressed, or one word of the header or
 * of an event's attributes; the sizes of the record, of the data section and the places of the
 * feature sections behind it stay right.
 */
#include "perfdata/format.h"

#include "mutate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <zstd.h>

#define RECORDS_MAX 4096

struct data_file {
	uint8_t *bytes;
	size_t size;
	size_t max_size;
	struct perf_file_header header;
	size_t records[RECORDS_MAX]; /* where each starts */
	size_t nrecords;
};

static struct perf_event_header
record_at(const struct data_file *file, size_t at)
{
	struct perf_event_header header;

	memcpy(&header, file->bytes + at, sizeof(header));
	return header;
}

static bool
find_records(struct data_file *file)
{
	if (file->size < sizeof(file->header))
		return false;
	memcpy(&file->header, file->bytes, sizeof(file->header));
	const struct file_section *data = &file->header.data;

	if (file->header.magic != PERF_FILE_MAGIC || data->offset > file->size ||
		data->size > file->size - data->offset)
		return false;
	for (size_t at = data->offset;
		at + sizeof(struct perf_event_header) <= data->offset + data->size &&
		file->nrecords < RECORDS_MAX;) {
		size_t len = record_at(file, at).size;

		if (len < sizeof(struct perf_event_header) || len > data->offset + data->size - at)
			break;
		file->records[file->nrecords++] = at;
		at += len;
	}
	return file->nrecords > 0;
}

/* The feature sections, whose table is behind the data, move with it. */
static void
move_features(struct data_file *file, size_t old_end, ptrdiff_t by)
{
	uint8_t *at = file->bytes + (ptrdiff_t)old_end + by;

	for (unsigned bit = 0; bit < FEATURE_WORDS * 64; bit++) {
		struct file_section section;

		if (!(file->header.features[bit / 64] >> bit % 64 & 1))
			continue;
		if (at + sizeof(section) > file->bytes + file->size)
			return;
		memcpy(&section, at, sizeof(section));
		if (section.offset >= old_end)
			section.offset += (uint64_t)by;
		memcpy(at, &section, sizeof(section));
		at += sizeof(section);
	}
}

/* Replaces bytes of the data section; false where there is no room. */
static bool
replace(struct data_file *file, size_t at, size_t old_len, const uint8_t *bytes, size_t len)
{
	const size_t old_end = file->header.data.offset + file->header.data.size;
	const ptrdiff_t by = (ptrdiff_t)len - (ptrdiff_t)old_len;

	if ((ptrdiff_t)file->size + by > (ptrdiff_t)file->max_size)
		return false;
	file->size = move_tail(file->bytes, file->size, at + old_len, by);
	if (len > 0)
		memcpy(file->bytes + at, bytes, len);
	move_features(file, old_end, by);
	file->header.data.size += (uint64_t)by;
	if (file->header.attrs.offset >= old_end)
		file->header.attrs.offset += (uint64_t)by;
	memcpy(file->bytes, &file->header, sizeof(file->header));
	return true;
}

static void
set_size(uint8_t *record, size_t len)
{
	struct perf_event_header header;

	memcpy(&header, record, sizeof(header));
	header.size = (uint16_t)len;
	memcpy(record, &header, sizeof(header));
}

/* The body, in whole words. */
static void
change_record(struct data_file *file, struct chance *chance, size_t at)
{
	const size_t head = sizeof(struct perf_event_header);
	const size_t old_len = record_at(file, at).size;
	static uint8_t record[RECORD_BYTES_MAX + 8];
	const size_t most = old_len + 64 < RECORD_BYTES_MAX ? old_len + 64 : RECORD_BYTES_MAX;

	memset(record, 0, sizeof(record));
	memcpy(record, file->bytes + at, old_len);
	size_t len = head + LLVMFuzzerMutate(record + head, old_len - head, most - head);

	len += -len & 7;
	set_size(record, len);
	if (chance_below(chance, 8) == 0)
		LLVMFuzzerMutate(record + 4, 2, 2); /* misc */
	replace(file, at, old_len, record, len);
}

/* In a record of perf's own: some others in a row, by zstd. */
static void
compress_records(struct data_file *file, struct chance *chance, size_t first)
{
	const size_t head = sizeof(struct perf_event_header);
	size_t last = first + chance_below(chance, 8);
	struct perf_event_header header = {.type = USER_COMPRESSED};

	if (last >= file->nrecords)
		last = file->nrecords - 1;
	size_t at = file->records[first];
	size_t old_len = file->records[last] + record_at(file, file->records[last]).size - at;
	size_t bound = ZSTD_compressBound(old_len);
	uint8_t *record = calloc(1, head + bound + 8);

	if (!record)
		abort();
	size_t len = ZSTD_compress(record + head, bound, file->bytes + at, old_len, 1);

	if (!ZSTD_isError(len) && head + len <= RECORD_BYTES_MAX) {
		memcpy(record, &header, sizeof(header));
		set_size(record, head + len);
		replace(file, at, old_len, record, head + len);
	}
	free(record);
}

static void
change_attributes(struct data_file *file, struct chance *chance)
{
	const struct file_section *attrs = &file->header.attrs;

	if (attrs->offset > file->size || attrs->size > file->size - attrs->offset ||
		attrs->size < 8)
		return;
	size_t word = chance_below(chance, attrs->size / 8);

	LLVMFuzzerMutate(file->bytes + attrs->offset + word * 8, 8, 8);
}

static void
mutate(struct data_file *file, struct chance *chance)
{
	const size_t pick = chance_below(chance, file->nrecords);
	const size_t at = file->records[pick];
	const size_t len = record_at(file, at).size;
	const size_t other = file->records[chance_below(chance, file->nrecords)];
	static uint8_t copy[1 << 16];

	switch (chance_below(chance, 10)) {
	case 0:
		change_attributes(file, chance);
		break;
	case 1:
		memcpy(copy, file->bytes + at, len);
		replace(file, other, 0, copy, len);
		break;
	case 2:
		replace(file, at, len, NULL, 0);
		break;
	case 3:
		compress_records(file, chance, pick);
		break;
	default:
		change_record(file, chance, at);
	}
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	struct chance chance = {seed};
	struct data_file *file = calloc(1, sizeof(*file));

	if (!file)
		abort();
	file->bytes = data;
	file->size = size;
	file->max_size = max_size;
	if (find_records(file) && chance_below(&chance, 16) > 0)
		mutate(file, &chance);
	else
		file->size = LLVMFuzzerMutate(data, size, max_size);
	size = file->size;
	free(file);
	return size;
}
