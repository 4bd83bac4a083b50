/*
 * The file that the allocation shim leaves, which the profiled program could have written anything
 * into: whatever is taken from it can be read as perf.data.
 */
#include "base/file.h"
#include "capture/capture_internal.h"
#include "perfdata/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads it back; the sum of the periods. */
static double
read_back(const char *path)
{
	struct err err = {0};
	struct file_view view;
	struct record record;
	double total = 0;
	int status;

	if (file_view_open(&view, path, &err) < 0)
		abort();
	struct perfdata_reader *reader = perfdata_open(&view, path, &err);

	if (!reader)
		abort();
	while ((status = perfdata_next(reader, &record, &err)) > 0)
		if (record.type == PERF_RECORD_SAMPLE)
			total += (double)record.u.sample.period;
	if (status < 0)
		abort();
	perfdata_close(reader);
	file_view_close(&view);
	return total;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const command[] = {"./work", NULL};
	char dir[] = "/tmp/profile_run-fuzz-XXXXXX";
	struct alloc_totals totals;
	struct err err = {0};

	if (!mkdtemp(dir))
		abort();
	char *path = file_join(dir, "1.0");
	char *into = file_join(dir, "perf.data");

	if (file_write(path, data, size, &err) < 0)
		abort();
	if (alloc_files_join(dir, 1, command, ALLOC_EVENT_PEAK, into, &totals, &err) == 0 &&
		totals.processes > 0) {
		double sum = 0;

		for (size_t i = 0; i < ALLOC_EVENTS; i++)
			sum += totals.events[i];
		double got = read_back(into);

		/* Sums of such numbers are rounded. */
		if (got < 0.999 * sum || got > 1.001 * sum)
			abort();
	}
	free(path);
	free(into);
	if (file_remove_tree(dir, &err) < 0)
		abort();
	return 0;
}
