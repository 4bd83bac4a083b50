/* Any text as a flat profile of gprof: an error, or a profile of samples. */
#include "ingest/ingest.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
read_as(const struct file_view *view, const struct ingest_options *options)
{
	struct profile profile;
	struct err err = {0};

	profile_init(&profile);
	if (ingest_gprof.read(&profile, view, "fuzz", options, &err) == 0) {
		const double total = profile_column_total(&profile, 0);

		if (profile.nruns != 1 || !isfinite(total) || !(total > 0))
			abort();
	} else if (err.kind != ERR_INPUT) {
		abort();
	}
	profile_release(&profile);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A terminator would hide a read beyond the end. */
	const struct file_view view = {.data = (const char *)data, .len = size};
	static const struct ingest_options plain;
	static const struct ingest_options shortened = {.short_names = true};

	ingest_gprof.detect(view.data, view.len);
	read_as(&view, &plain);
	read_as(&view, &shortened);
	return 0;
}
