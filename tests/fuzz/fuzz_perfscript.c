/*
 * Any text: an error, or a profile whose weight is its number of samples, or the sum of their
 * periods. All formats' detection is tried, too.
 */
#include "base/log.h"
#include "ingest/ingest.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_weight(const struct profile *profile)
{
	const struct run *run = &profile->runs[0];
	const double total = profile_column_total(profile, 0);

	if (run->samples == 0 || !(total >= 0))
		abort();
	if (!profile->weight && total != (double)run->samples)
		abort();
	/* The periods of a clock are not printed beside the samples, and sums of 64 bits are
	 * limited.
	 */
	if (profile->weight && run->cost_total > 0 && run->cost_total < (double)UINT64_MAX &&
		fabs(total - run->cost_total) > 1e-9 * run->cost_total)
		abort();
}

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
	if (ingest_script.read(&profile, &view, "fuzz", &everything, &err) == 0)
		check_weight(&profile);
	else if (err.kind != ERR_INPUT)
		abort();
	profile_release(&profile);
	return 0;
}
