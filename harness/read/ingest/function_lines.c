#include "ingest/function_lines.h"

#include "base/buf.h"
#include "base/mem.h"
#include "ingest/place_frames.h"
#include "ingest/stacks.h"
#include "profile/canonical.h"

#include <stdlib.h>
#include <string.h>

/* In function_lines.known: whether a frame is one of the function whose lines are wanted. */
enum { NOT_ASKED, ANOTHER, WANTED };

void
function_lines_release(struct function_lines *lines)
{
	free(lines->known);
	*lines = (struct function_lines){0};
}

/* Whether it is the name, or that of a clone that the name stands for in a comparison. */
static bool
is_named(const char *name, const char *function)
{
	struct buf canonical = {0};
	bool named =
		strcmp(name, function) == 0 || (canonical_name(name, strlen(name), &canonical) &&
						       strcmp(buf_text(&canonical), function) == 0);

	buf_release(&canonical);
	return named;
}

/* Whether it is a frame of the function, inlined or not. */
static bool
is_wanted(struct function_lines *lines, const struct profile *profile, frame_id frame)
{
	lines->known =
		mem_grow(lines->known, &lines->nknown, frame + (size_t)1, sizeof(*lines->known));
	uint8_t *known = &lines->known[frame];

	if (*known == NOT_ASKED)
		*known = is_named(profile_frame_name(profile, frame), lines->weights->function)
				 ? WANTED
				 : ANOTHER;
	return *known == WANTED;
}

void
function_lines_add(struct function_lines *lines, struct stacks *stacks, node_id node, double weight)
{
	const bool executing = node == stacks_leaf(stacks);
	struct line_place place;

	line_weights_begin(lines->weights, weight);
	for (size_t i = stacks_nframes(stacks); i-- > 0;)
		if (is_wanted(lines, stacks->profile, stacks_frame(stacks, i)) &&
			stacks_line(stacks, i, &place))
			line_weights_add(lines->weights, &place, weight,
				executing && stacks_frame_is_leaf(stacks, i));
}
