/*
 * Any bytes as a pprof file, compressed or not: an error, or a profile with weights; by the file's
 * own type of values, and by one that is asked for.
 */
#include "base/log.h"
#include "ingest/ingest.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
read_event(const struct file_view *view, const char *event)
{
	const struct ingest_options options = {.event = event};
	struct profile profile;
	struct err err = {0};

	profile_init(&profile);
	if (ingest_pprof.read(&profile, view, "fuzz", &options, &err) == 0) {
		if (profile.nruns != 1 || !(profile_column_total(&profile, 0) > 0))
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

	log_set_level(LOG_ERROR);
	ingest_pprof.detect(view.data, view.len);
	read_event(&view, NULL);
	read_event(&view, "alloc_objects");
	return 0;
}
