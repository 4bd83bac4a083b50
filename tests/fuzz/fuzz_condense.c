/*
 * Any bytes that are a perf.data file can be condensed, and what comes out can be read: as many
 * records of each type, in order of time.
 */
#include "perfdata/condense.h"

#include "base/file.h"

#include "perfdata_input.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint64_t chain[] = {PERF_CONTEXT_USER, 0x1000, 0x2000, 0x3000};

struct counts {
	size_t records;
	size_t samples;
};

static void
count(struct counts *counts, const struct record *record)
{
	counts->records++;
	counts->samples += record->type == PERF_RECORD_SAMPLE;
}

/* True once the condensed file stands in its place. */
static bool
condense(struct perfdata_reader *reader, const char *path, bool expand, struct counts *counts)
{
	struct err err = {0};
	struct record record;
	struct perfdata_condenser *condenser = perfdata_condenser_open(path, reader, &err);
	int status;

	if (!condenser)
		abort();
	if (expand)
		perfdata_condenser_expand(condenser);
	while ((status = perfdata_next(reader, &record, &err)) > 0) {
		size_t nchain = record.file_offset % 5;

		if (perfdata_condenser_put(
			    condenser, &record, nchain < 4 ? chain : NULL, nchain, &err) < 0) {
			status = -1;
			break;
		}
		count(counts, &record);
	}
	if (status < 0) {
		if (err.kind != ERR_INPUT)
			abort();
		perfdata_condenser_abandon(condenser);
		return false;
	}
	if (perfdata_condenser_finish(condenser, &err) < 0)
		abort();
	return true;
}

static void
check(const char *path, const struct counts *expected)
{
	struct counts counts = {0};
	struct file_view view;
	struct err err = {0};
	struct record record;
	uint64_t last_ns = 0;

	if (file_view_open(&view, path, &err) < 0)
		abort();
	struct perfdata_reader *reader = perfdata_open(&view, path, &err);

	if (!reader || perfdata_truncated(reader))
		abort();
	while (perfdata_next(reader, &record, &err) > 0) {
		count(&counts, &record);
		if (record.id.time_ns && record.id.time_ns < last_ns)
			abort();
		if (record.id.time_ns)
			last_ns = record.id.time_ns;
	}
	if (err.kind != ERR_NONE || counts.records != expected->records ||
		counts.samples != expected->samples)
		abort();
	perfdata_close(reader);
	file_view_close(&view);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t *aligned = aligned_copy(data, size);
	struct file_view view = {.data = (const char *)aligned, .len = size};
	struct counts counts = {0};
	struct err err = {0};
	char path[64];

	if (!aligned)
		return 0;
	snprintf(path, sizeof(path), "/tmp/profile_run-fuzz-%ld", (long)getpid());
	struct perfdata_reader *reader = perfdata_open(&view, "fuzz", &err);

	if (reader && condense(reader, path, size % 2 == 1, &counts)) {
		check(path, &counts);
		unlink(path);
	}
	perfdata_close(reader);
	free(aligned);
	return 0;
}
