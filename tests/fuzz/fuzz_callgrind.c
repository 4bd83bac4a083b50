/*
 * Any text: an error, or a profile whose weight is the cost of its run.
 */
#include "base/log.h"
#include "ingest/ingest.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

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
	ingest_callgrind.detect(view.data, view.len);
	profile_init(&profile);
	if (ingest_callgrind.read(&profile, &view, "fuzz", &everything, &err) == 0) {
		double cost = profile.runs[0].cost_total;

		/* Numbers of 20 digits are not added up exactly. */
		if (!(cost > 0) || fabs(profile_column_total(&profile, 0) - cost) > 1e-9 * cost)
			abort();
	} else if (err.kind != ERR_INPUT) {
		abort();
	}
	profile_release(&profile);
	return 0;
}
