#include "flamegraph/budget.h"

#include <math.h>

/* However long names are. */
#define LEAST_BOXES 500
/* Longer than any name that a compiler makes of what somebody wrote. */
#define FULL_NAME_BYTES 100000

static bool
has_long_names(const struct profile *profile)
{
	for (size_t i = 0; i < profile->frames.nframes; i++) {
		const struct frame *frame = &profile->frames.frames[i];

		if (strtab_len(&profile->strings, frame->name) > FLAMEGRAPH_NAME_BYTES_MAX ||
			(frame->full && strtab_len(&profile->strings, frame->full) >
						FLAMEGRAPH_NAME_BYTES_MAX))
			return true;
	}
	return false;
}

struct flamegraph_budget
flamegraph_budget_first(
	const struct profile *profile, const struct flamegraph_options *options, size_t boxes)
{
	struct flamegraph_budget budget = {
		.boxes = options->max_frames > 0 ? options->max_frames : boxes,
		.fixed = options->max_frames > 0,
		.name_bytes = FLAMEGRAPH_NAME_BYTES_MAX,
	};

	/* A page has several pictures, and one limit. */
	if (!options->embedded && has_long_names(profile))
		budget.name_bytes = FULL_NAME_BYTES;
	return budget;
}

bool
flamegraph_budget_is_least(const struct flamegraph_budget *budget)
{
	return budget->name_bytes <= FLAMEGRAPH_NAME_BYTES_MAX &&
	       (budget->fixed || budget->boxes <= LEAST_BOXES);
}

bool
flamegraph_budget_cut(struct flamegraph_budget *budget, size_t bytes)
{
	if (bytes <= FLAMEGRAPH_MAX_BYTES || flamegraph_budget_is_least(budget))
		return false;
	if (budget->name_bytes > FLAMEGRAPH_NAME_BYTES_MAX) {
		budget->name_bytes = FLAMEGRAPH_NAME_BYTES_MAX;
		return true;
	}
	double ratio = fmin(0.9, (double)FLAMEGRAPH_MAX_BYTES / (double)bytes);
	size_t fewer = (size_t)((double)budget->boxes * ratio);

	budget->boxes = fewer > LEAST_BOXES ? fewer : LEAST_BOXES;
	return true;
}
