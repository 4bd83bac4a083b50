/*
 * Any bytes: an error, or records all of whose parts lie in the file. A perf.data file is read
 * whole and every byte that a record points to is looked at.
 */
#include "perfdata/reader.h"

#include "perfdata_input.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile unsigned char seen;

static void
look_at(const void *bytes, size_t len)
{
	unsigned char sum = 0;

	if (len == 0)
		return;
	for (size_t i = 0; i < len; i++)
		sum = (unsigned char)(sum + ((const unsigned char *)bytes)[i]);
	seen = sum;
}

static void
look_at_text(const char *text)
{
	if (text)
		look_at(text, strlen(text));
}

static void
look_at_record(const struct perfdata_reader *reader, const struct record *record, size_t file_bytes)
{
	const unsigned char *build_id = NULL;
	size_t build_id_len;

	if (record->event >= perfdata_nevents(reader) || record->file_offset >= file_bytes)
		abort();
	look_at(record->raw, record->raw_bytes);
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		look_at(record->u.sample.chain,
			record->u.sample.nchain * sizeof(*record->u.sample.chain));
		look_at(record->u.sample.user_regs,
			record->u.sample.nuser_regs * sizeof(*record->u.sample.user_regs));
		look_at(record->u.sample.raw_data, record->u.sample.raw_data_bytes);
		look_at(record->u.sample.user_stack, record->u.sample.user_stack_bytes);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		look_at_text(record->u.mmap.path);
		look_at(record->u.mmap.build_id, record->u.mmap.build_id_len);
		build_id_len = perfdata_build_id(reader, record->u.mmap.path, &build_id);
		look_at(build_id, build_id_len);
		break;
	case PERF_RECORD_COMM:
		look_at_text(record->u.comm.name);
		break;
	case PERF_RECORD_KSYMBOL:
		look_at_text(record->u.ksymbol.name);
		break;
	default:
		break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t *aligned = aligned_copy(data, size);
	struct file_view view = {.data = (const char *)aligned, .len = size};
	struct err err = {0};
	struct record record;
	int status;

	if (!aligned)
		return 0;
	struct perfdata_reader *reader = perfdata_open(&view, "fuzz", &err);

	if (reader) {
		uint64_t last_ns = 0;

		look_at_text(perfdata_texts(reader)->command);
		look_at_text(perfdata_texts(reader)->hostname);
		look_at_text(perfdata_texts(reader)->cpu_model);
		while ((status = perfdata_next(reader, &record, &err)) > 0) {
			look_at_record(reader, &record, size);
			if (record.id.time_ns && record.id.time_ns < last_ns)
				abort();
			if (record.id.time_ns)
				last_ns = record.id.time_ns;
		}
		if (status < 0 && err.kind != ERR_INPUT)
			abort();
	} else if (err.kind != ERR_INPUT) {
		abort();
	}
	perfdata_close(reader);
	free(aligned);
	return 0;
}
