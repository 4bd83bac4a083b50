/* Any text as stacks of BPF tools: an error, or a profile with weights. */
#include "base/log.h"
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

	log_set_level(LOG_ERROR);
	ingest_bpf.detect(view.data, view.len);
	profile_init(&profile);
	if (ingest_bpf.read(&profile, &view, "fuzz", &options, &err) == 0) {
		if (profile.nruns != 1 || !(profile_column_total(&profile, 0) > 0))
			abort();
	} else if (err.kind != ERR_INPUT) {
		abort();
	}
	profile_release(&profile);
	return 0;
}
