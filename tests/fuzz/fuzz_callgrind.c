/*
 * Any text: an error, or a profile whose weight is the cost of its run; by the file's own event,
 * and by a sum of events. What the lines of a function cost is what it costs.
 */
#include "base/log.h"
#include "ingest/ingest.h"
#include "profile/line_weights.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_lines(const struct line_weights *lines)
{
	double self = 0;

	for (size_t i = 0; i < lines->nlines; i++) {
		self += lines->lines[i].self;
		if (lines->lines[i].self > lines->lines[i].total)
			abort();
	}
	if (fabs(self - lines->self) > 1e-9 * self || lines->self > lines->whole * (1 + 1e-9))
		abort();
}

static void
read_event(const struct file_view *view, const char *event)
{
	struct line_weights lines;
	const struct ingest_options options = {.event = event, .lines = &lines};
	struct profile profile;
	struct err err = {0};

	line_weights_init(&lines, "main");
	profile_init(&profile);
	if (ingest_callgrind.read(&profile, view, "fuzz", &options, &err) == 0) {
		double cost = profile.runs[0].cost_total;

		/* Numbers of 20 digits are not added up exactly. */
		if (!(cost > 0) || fabs(profile_column_total(&profile, 0) - cost) > 1e-9 * cost)
			abort();
	} else if (err.kind != ERR_INPUT) {
		abort();
	}
	check_lines(&lines);
	line_weights_release(&lines);
	profile_release(&profile);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A terminator would hide a read beyond the end. */
	const struct file_view view = {.data = (const char *)data, .len = size};

	log_set_level(LOG_ERROR);
	ingest_callgrind.detect(view.data, view.len);
	read_event(&view, NULL);
	read_event(&view, "estimated_cycles");
	return 0;
}
