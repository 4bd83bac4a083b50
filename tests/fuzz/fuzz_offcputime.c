/* Any text as times off the CPU: an error, or a profile of times in ns. */
#include "ingest/ingest.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A terminator would hide a read beyond the end. */
	const struct file_view view = {.data = (const char *)data, .len = size};
	const struct ingest_options options = {.event = NULL};
	struct profile profile;
	struct err err = {0};

	ingest_offcputime.detect(view.data, view.len);
	profile_init(&profile);
	if (ingest_offcputime.read(&profile, &view, "fuzz", &options, &err) == 0) {
		if (profile.nruns != 1 || profile.unit == 0)
			abort();
	} else if (err.kind != ERR_INPUT) {
		abort();
	}
	profile_release(&profile);
	return 0;
}
