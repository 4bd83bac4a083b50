#include "perfdata/reader_internal.h"

#include <inttypes.h>
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

int
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
