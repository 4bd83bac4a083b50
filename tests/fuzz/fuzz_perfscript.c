/*
 * Any text: an error, or a profile whose weight is its number of samples. All formats' detection is
 * tried, too.
 */
#include "base/log.h"
#include "ingest/ingest.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct ingest_options everything;
	/* A terminator would hide a read beyond the end. */
	struct file_view view = {.data = (const char *)data, .len = size};
	struct profile profile;
	struct err err = {0};

	log_set_level(LOG_ERROR);
	for (size_t i = 0; input_formats[i]; i++)
		input_formats[i]->detect(view.data, view.len);
	profile_init(&profile);
	if (ingest_script.read(&profile, &view, "fuzz", &everything, &err) == 0) {
		double samples = (double)profile.runs[0].samples;

		if (samples <= 0 || profile_column_total(&profile, 0) != samples)
			abort();
	} else if (err.kind != ERR_INPUT) {
		abort();
	}
	profile_release(&profile);
	return 0;
}
