/*
 * About how many bytes a picture will take, and how many of its boxes are too many.
 */
#include "flamegraph/svg.h"

#include "base/mem.h"
#include "base/sort.h"
#include "flamegraph/assets.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GATHERED_BYTES 50 /* of a tooltip that only counts */

static frame_id
frame_of(const struct flamegraph_svg *svg, const struct flamegraph_box *box)
{
	return svg->profile->tree.nodes[box->node].frame;
}

/* Boxes too narrow to draw are counted, not named. */
static size_t
name_bytes(const struct flamegraph_svg *svg, const struct flamegraph_box *box)
{
	const struct profile *profile = svg->profile;
	const struct frame *frame = &profile->frames.frames[frame_of(svg, box)];
	size_t len = box->gathered > 0 ? 0 : strtab_len(&profile->strings, frame->name);

	return len < svg->name_bytes ? len : svg->name_bytes;
}

/* The bytes of a box and its tooltip, in a picture of so many levels and units of width a pixel. */
static size_t
box_bytes(const struct flamegraph_svg *svg, const struct flamegraph_box *box, uint32_t levels,
	double unit_per_px, const struct flamegraph_box_bytes *each)
{
	bool has_level = box->depth < levels && unit_per_px > 0;
	size_t bytes = each->data;

	if (has_level && box->width >= svg->least_px * unit_per_px)
		bytes += each->shape;
	if (has_level && box->width >= FLAMEGRAPH_MIN_TOOLTIP_PX * unit_per_px)
		bytes += box->gathered > 0 ? GATHERED_BYTES : name_bytes(svg, box) + each->tooltip;
	return bytes;
}

size_t
flamegraph_svg_guess_bytes(const struct flamegraph_svg *svg, const struct flamegraph_layout *layout,
	const struct flamegraph_box_bytes *each)
{
	const struct profile *profile = svg->profile;
	bool *named = mem_zalloc(profile->frames.nframes, sizeof(*named));
	double whole = layout->boxes[0].width;
	double unit_per_px = whole / flamegraph_svg_drawing_px(svg);
	uint32_t levels = flamegraph_svg_levels(svg, layout, whole);
	size_t bytes = svg->names.len + svg->hidden.len;

	if (!svg->embedded)
		bytes += strlen(asset_flamegraph_css) + strlen(asset_flamegraph_js);
	for (size_t i = 0; i < layout->nboxes; i++) {
		const struct flamegraph_box *box = &layout->boxes[i];
		frame_id frame = frame_of(svg, box);

		bytes += box_bytes(svg, box, levels, unit_per_px, each);
		if (!named[frame] && svg->name_lines[frame] == 0)
			bytes += name_bytes(svg, box);
		named[frame] = true;
	}
	free(named);
	return bytes;
}

/* A layout that loses boxes, from the narrowest on. */
struct shrinking {
	const struct flamegraph_svg *svg;
	const struct flamegraph_layout *layout;
	const struct flamegraph_limits *limits;
	const struct flamegraph_box_bytes *each;
	uint32_t levels;
	double unit_per_px;
	/* By box: that below it, and of what is left out above it the width and its box's bytes. */
	uint32_t *below;
	double *rest_width;
	size_t *rest_bytes;
	struct sort_key *narrowest; /* boxes that stand for a node */
	size_t count;
	uint32_t *boxes_of; /* by frame: boxes that are left */
	size_t listed_bytes;
};

static size_t
bytes_of(const struct shrinking *shrinking, const struct flamegraph_box *box)
{
	return box_bytes(
		shrinking->svg, box, shrinking->levels, shrinking->unit_per_px, shrinking->each);
}

static void
begin_shrinking(struct shrinking *shrinking)
{
	const struct flamegraph_box *boxes = shrinking->layout->boxes;
	size_t nboxes = shrinking->layout->nboxes;
	uint32_t *last = mem_zalloc(nboxes + 1, sizeof(*last)); /* by depth */

	shrinking->below = mem_zalloc(nboxes + 1, sizeof(*shrinking->below));
	shrinking->rest_width = mem_zalloc(nboxes + 1, sizeof(*shrinking->rest_width));
	shrinking->rest_bytes = mem_zalloc(nboxes + 1, sizeof(*shrinking->rest_bytes));
	shrinking->narrowest = mem_zalloc(nboxes + 1, sizeof(*shrinking->narrowest));
	shrinking->boxes_of =
		mem_zalloc(shrinking->svg->profile->frames.nframes, sizeof(*shrinking->boxes_of));
	shrinking->rest_width[0] = boxes[0].rest;
	for (size_t i = 1; i < nboxes; i++) {
		uint32_t below = last[boxes[i].depth - 1];

		shrinking->below[i] = below;
		shrinking->rest_width[i] = boxes[i].rest;
		if (boxes[i].gathered > 0) {
			shrinking->rest_bytes[below] += bytes_of(shrinking, &boxes[i]);
			continue;
		}
		last[boxes[i].depth] = (uint32_t)i;
		shrinking->boxes_of[frame_of(shrinking->svg, &boxes[i])]++;
	}
	free(last);
	/* Backwards: of boxes of the same width, those above come first. */
	for (size_t i = nboxes; i-- > 1;) {
		if (boxes[i].gathered > 0)
			continue;
		struct sort_key *key = &shrinking->narrowest[shrinking->count++];

		key->at = (uint32_t)i;
		/* The bits of numbers that are not negative have the order of the numbers. */
		memcpy(&key->key, &boxes[i].width, sizeof(key->key));
	}
	sort_keys(shrinking->narrowest, shrinking->count);
}

/*
 * The bytes of its name that leaving out a box gives back: a function without a box is listed among
 * those that only search finds, as long as there is room in the list.
 */
static double
leave_out_name(struct shrinking *shrinking, const struct flamegraph_box *box)
{
	const struct flamegraph_svg *svg = shrinking->svg;
	frame_id frame = frame_of(svg, box);
	uint32_t line = svg->name_lines[frame];
	size_t bytes = name_bytes(svg, box);

	if (--shrinking->boxes_of[frame] > 0 ||
		(line > 0 && line < FLAMEGRAPH_FIRST_LINES + svg->functions))
		return 0;
	if (shrinking->listed_bytes >= svg->function_bytes)
		return (double)bytes;
	shrinking->listed_bytes += bytes + FLAMEGRAPH_LISTED_BYTES;
	return -FLAMEGRAPH_LISTED_BYTES;
}

/*
 * The bytes that leaving out a box gives back. All above it are left out already; it becomes part
 * of what is left out above the box below it.
 */
static double
leave_out(struct shrinking *shrinking, uint32_t box)
{
	const struct flamegraph_box *at = &shrinking->layout->boxes[box];
	uint32_t below = shrinking->below[box];
	double given_back = (double)(bytes_of(shrinking, at) + shrinking->rest_bytes[box]) +
			    leave_out_name(shrinking, at);

	shrinking->rest_width[below] += at->width;
	if (shrinking->rest_width[below] < shrinking->limits->min_rest_width)
		return given_back;
	const struct flamegraph_box rest = {
		.gathered = 1, .depth = at->depth, .width = shrinking->rest_width[below]};
	size_t bytes = bytes_of(shrinking, &rest);

	given_back -= (double)bytes - (double)shrinking->rest_bytes[below];
	shrinking->rest_bytes[below] = bytes;
	return given_back;
}

size_t
flamegraph_svg_fitting(const struct flamegraph_svg *svg, const struct flamegraph_layout *layout,
	const struct flamegraph_limits *limits, const struct flamegraph_box_bytes *each,
	size_t surplus)
{
	double whole = layout->boxes[0].width;
	struct shrinking shrinking = {
		.svg = svg,
		.layout = layout,
		.limits = limits,
		.each = each,
		.levels = flamegraph_svg_levels(svg, layout, whole),
		.unit_per_px = whole / flamegraph_svg_drawing_px(svg),
		.listed_bytes = svg->listed_bytes,
	};
	double given_back = 0;
	size_t left_out = 0;

	if (surplus == 0)
		return layout->nboxes;
	begin_shrinking(&shrinking);
	while (left_out < shrinking.count && given_back < (double)surplus)
		given_back += leave_out(&shrinking, shrinking.narrowest[left_out++].at);
	free(shrinking.boxes_of);
	free(shrinking.below);
	free(shrinking.rest_width);
	free(shrinking.rest_bytes);
	free(shrinking.narrowest);
	return shrinking.count - left_out;
}
