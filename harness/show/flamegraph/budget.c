#include "flamegraph/budget.h"

#include "flamegraph/assets.h"

#include <string.h>

/* The fewest boxes, however long names are. */
#define LEAST_BOXES 500
/* For functions that only search finds, in its own picture and in one of several in a page. */
#define FUNCTION_BYTES 720000
#define PAGE_FUNCTION_BYTES 40000
#define LARGE_TREE 200000
/* The part of a budget that a cut leaves at most. */
#define MOST_KEPT 0.98
/* Longer than any name that a compiler makes from real code. */
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

/* How many boxes of so many bytes there is room for beside the names. */
static size_t
room_for_boxes(const struct profile *profile, size_t function_bytes, size_t box_bytes)
{
	size_t parts = strlen(asset_flamegraph_css) + strlen(asset_flamegraph_js);
	size_t names = 0;

	for (size_t i = 0; i < profile->frames.nframes; i++)
		names += FLAMEGRAPH_LISTED_BYTES +
			 strtab_len(&profile->strings, profile->frames.frames[i].name);
	return (FLAMEGRAPH_MAX_BYTES - parts - (names < function_bytes ? names : function_bytes)) /
	       box_bytes;
}

struct flamegraph_budget
flamegraph_budget_first(const struct profile *profile, const struct flamegraph_options *options,
	size_t boxes, size_t box_bytes)
{
	struct flamegraph_budget budget = {
		.boxes = options->max_frames > 0 ? options->max_frames : boxes,
		.fixed = options->max_frames > 0,
		.name_bytes = FLAMEGRAPH_NAME_BYTES_MAX,
		.function_bytes = options->embedded ? PAGE_FUNCTION_BYTES : FUNCTION_BYTES,
	};

	/* A try takes long with a large tree: the first one should be close to the limit. */
	if (!budget.fixed && profile->tree.nnodes > LARGE_TREE)
		budget.boxes = room_for_boxes(profile, budget.function_bytes, box_bytes);
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

size_t
flamegraph_budget_surplus(size_t bytes)
{
	if (bytes <= FLAMEGRAPH_MAX_BYTES)
		return 0;
	return bytes - FLAMEGRAPH_MAX_BYTES + FLAMEGRAPH_MAX_BYTES / 50;
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
	size_t most = (size_t)((double)budget->boxes * MOST_KEPT);

	budget->boxes = budget->fitting < most ? budget->fitting : most;
	if (budget->boxes < LEAST_BOXES)
		budget->boxes = LEAST_BOXES;
	return true;
}

void
flamegraph_budget_draw(struct flamegraph_budget first, flamegraph_draw_fn *draw,
	const void *picture, struct buf *out)
{
	struct flamegraph_budget budget = first;
	const size_t start = out->len;
	size_t bytes;

	do {
		const bool least = flamegraph_budget_is_least(&budget);

		out->len = start;
		bytes = draw(picture, &budget, least ? SIZE_MAX : FLAMEGRAPH_MAX_BYTES, out);
	} while (flamegraph_budget_cut(&budget, bytes));
}
