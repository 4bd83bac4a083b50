/*
 * Any text as a file of one format: an error of its input, or a profile of one run with weights.
 * That all of these are 0 is found by the caller of formats that have an advice about it.
 */
#ifndef FUZZ_FORMAT_INPUT_H
#define FUZZ_FORMAT_INPUT_H

#include "base/log.h"
#include "ingest/ingest.h"

#include <stdint.h>
#include <stdlib.h>

static inline void
format_input_read(const struct input_format *format, const uint8_t *data, size_t size)
{
	/* A terminator would hide a read beyond the end. */
	const struct file_view view = {.data = (const char *)data, .len = size};
	const struct ingest_options options = {.event = NULL};
	struct profile profile;
	struct err err = {0};

	log_set_level(LOG_ERROR);
	format->detect(view.data, view.len);
	profile_init(&profile);
	if (format->read(&profile, &view, "fuzz", &options, &err) == 0) {
		const double total = profile.nruns == 1 ? profile_column_total(&profile, 0) : -1;

		if (!(total > 0 || (format->if_weightless && total == 0)))
			abort();
	} else if (err.kind != ERR_INPUT) {
		abort();
	}
	profile_release(&profile);
}

#endif
