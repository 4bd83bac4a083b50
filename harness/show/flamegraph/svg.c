#include "flamegraph/svg.h"

#include "base/escape.h"
#include "base/mem.h"
#include "base/sort.h"
#include "flamegraph/flamegraph.h"
#include "format/figures.h"
#include "format/name.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_WIDTH_PX 1200
#define MIN_WIDTH_PX 300
#define MAX_WIDTH_PX FLAMEGRAPH_MAX_WIDTH_PX
#define MIN_BOX_PX 0.1
#define MIN_REST_PX 1.0
#define NARROW_PX 800
#define MAX_NOTE_LINES 20
#define TEXT_COLUMN_PX 6.8 /* a generous mean of the proportional text */

/* The picture and its heading. */

void
flamegraph_svg_init(struct flamegraph_svg *svg, const struct profile *profile, const char *whole,
	const struct flamegraph_options *options, const struct flamegraph_budget *budget)
{
	unsigned width = options->width_px > 0 ? options->width_px : DEFAULT_WIDTH_PX;

	*svg = (struct flamegraph_svg){
		.profile = profile,
		.mode = "plain",
		.unit = "samples",
		.row_px = options->row_px > 0 ? options->row_px : 16,
		.least_px = options->min_width_px > 0 ? options->min_width_px : MIN_BOX_PX,
		.least_data = options->min_width_px,
		.name_bytes = budget->name_bytes,
		.function_bytes = budget->function_bytes,
		.icicle = options->icicle,
		.fixed = options->width_px > 0,
		.embedded = options->embedded,
		.still = options->still,
		.y = 24,
	};
	svg->width_px = width < MIN_WIDTH_PX   ? MIN_WIDTH_PX
			: width > MAX_WIDTH_PX ? MAX_WIDTH_PX
					       : width;
	if (svg->width_px < NARROW_PX)
		svg->y += 20; /* its own line for the buttons that the script adds */
	svg->name_lines = mem_zalloc(profile->frames.nframes + 1, sizeof(*svg->name_lines));
	buf_puts(&svg->names, "frames too small to draw\to\n");
	name_put(&svg->names, whole, strlen(whole), svg->name_bytes, &name_picture);
	buf_puts(&svg->names, "\tz\n");
	svg->nnames = FLAMEGRAPH_FIRST_LINES;
}

void
flamegraph_svg_release(struct flamegraph_svg *svg)
{
	buf_release(&svg->head);
	buf_release(&svg->boxes);
	buf_release(&svg->labels);
	buf_release(&svg->bars);
	buf_release(&svg->axis);
	free(svg->ends);
	buf_release(&svg->names);
	buf_release(&svg->hidden);
	buf_release(&svg->numbers);
	for (size_t i = 0; i < svg->nslivers; i++) {
		buf_release(&svg->slivers[i].shape);
		free(svg->slivers[i].last);
	}
	free(svg->name_lines);
}

struct flamegraph_limits
flamegraph_svg_limits(const struct flamegraph_svg *svg, double whole, size_t max_boxes)
{
	double unit_per_px = whole / flamegraph_svg_drawing_px(svg);

	return (struct flamegraph_limits){
		.min_width = svg->least_data * unit_per_px,
		.min_rest_width = fmax(MIN_REST_PX, svg->least_data) * unit_per_px,
		.max_boxes = max_boxes,
	};
}

void
flamegraph_svg_text_at(struct flamegraph_svg *svg, unsigned x, const char *class, const char *text)
{
	buf_printf(&svg->head, "<text class=\"%s\" x=\"%u\" y=\"%u\">", class, x, svg->y);
	buf_puts(&svg->head, text);
	buf_puts(&svg->head, "</text>\n");
}

void
flamegraph_svg_line(struct flamegraph_svg *svg, const char *class, const char *text)
{
	flamegraph_svg_text_at(svg, FLAMEGRAPH_MARGIN_PX, class, text);
	svg->y += FLAMEGRAPH_LINE_PX;
}

/* Bytes of the first line of `text`, broken between words where it can be. */
static size_t
line_bytes(const char *text, size_t len, size_t columns)
{
	size_t end = name_head(text, len, columns);
	size_t space = end;

	if (end == len)
		return end;
	while (space > 0 && text[space] != ' ')
		space--;
	return space > 0 ? space : end;
}

void
flamegraph_svg_note(struct flamegraph_svg *svg, const char *class, const char *note)
{
	size_t columns = (size_t)(flamegraph_svg_drawing_px(svg) / TEXT_COLUMN_PX);
	struct buf spaced = {0};
	struct buf valid = {0};
	struct buf line = {0};

	buf_puts(&spaced, note);
	for (size_t i = 0; i < spaced.len; i++)
		spaced.data[i] = isspace((unsigned char)spaced.data[i]) ? ' ' : spaced.data[i];
	escape_utf8(&valid, buf_text(&spaced), spaced.len);
	const char *text = buf_text(&valid);
	size_t len = valid.len;

	for (unsigned n = 0; len > 0 && n < MAX_NOTE_LINES; n++) {
		size_t end = line_bytes(text, len, columns);

		buf_clear(&line);
		escape_xml(&line, text, end);
		flamegraph_svg_line(svg, class, buf_text(&line));
		end += end < len && text[end] == ' ';
		text += end;
		len -= end;
	}
	buf_release(&line);
	buf_release(&valid);
	buf_release(&spaced);
}

/* Appends a text that is no name, cut at its end to fit. */
static void
put_beginning(struct buf *out, const char *text, size_t columns)
{
	struct buf valid = {0};

	escape_utf8(&valid, text, strlen(text));
	bool fits = name_columns(buf_text(&valid), valid.len) <= columns;

	escape_xml(out, buf_text(&valid),
		fits ? valid.len : name_head(buf_text(&valid), valid.len, columns - 1));
	buf_puts(out, fits ? "" : name_picture.ellipsis);
	buf_release(&valid);
}

void
flamegraph_svg_title(struct flamegraph_svg *svg, const char *title, const char *subtitle)
{
	struct buf text = {0};

	double buttons_px = svg->width_px < NARROW_PX ? 0 : 360;

	put_beginning(&text, title, (size_t)((flamegraph_svg_drawing_px(svg) - buttons_px) / 10.5));
	flamegraph_svg_line(svg, "title", buf_text(&text));
	svg->y += 2;
	if (subtitle && *subtitle) {
		buf_clear(&text);
		put_beginning(&text, subtitle, (size_t)(flamegraph_svg_drawing_px(svg) / 7.2));
		flamegraph_svg_line(svg, "subtitle", buf_text(&text));
	}
	buf_release(&text);
}

void
flamegraph_svg_swatch(
	struct flamegraph_svg *svg, unsigned *x, const char *class, const char *meaning)
{
	unsigned width = 32 + (unsigned)(7.5 * (double)name_columns(meaning, strlen(meaning)));

	if (*x + width > svg->width_px - FLAMEGRAPH_MARGIN_PX && *x > FLAMEGRAPH_MARGIN_PX) {
		*x = FLAMEGRAPH_MARGIN_PX;
		svg->y += FLAMEGRAPH_LINE_PX;
	}
	buf_printf(&svg->head,
		"<path class=\"%s\" d=\"M%u %uh14v12h-14z\"/><text x=\"%u\" y=\"%u\">", class, *x,
		svg->y - 10, *x + 18, svg->y);
	escape_xml(&svg->head, meaning, strlen(meaning));
	buf_puts(&svg->head, "</text>\n");
	*x += width;
}

void
flamegraph_svg_hidden_note(struct flamegraph_svg *svg, size_t hidden)
{
	struct buf text = {0};

	if (hidden == 0)
		return;
	format_count(&text, (double)hidden);
	buf_puts(&text, hidden == 1 ? " frame, the smallest, is" : " frames, the smallest, are");
	buf_puts(&text, " left out of this file; the weight is in the callers.");
	if (svg->functions > 0)
		buf_puts(&text, " Search finds their functions.");
	if (svg->unlisted > 0) {
		buf_puts(&text, " Search does not find ");
		format_count(&text, (double)svg->unlisted);
		buf_puts(&text, svg->unlisted == 1 ? " small function." : " small functions.");
	}
	flamegraph_svg_note(svg, "quiet", buf_text(&text));
	buf_release(&text);
}

/*
 * About how many bytes a picture will take, and how many of its boxes are too many.
 */

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

/*
 * The budget: how many boxes and names a picture may hold.
 */

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

/*
 * The document around a picture: style, patterns and script, in itself or once in a page.
 */

/* For what is the same in all documents, beside style and script. */
#define DOCUMENT_BYTES 8192
#define FOOT_PX 42 /* two lines about the box pointed at */

/* The fills in assets/flamegraph.css other than plain colours. */
#define PATTERNS                                                                                    \
	"<defs>\n"                                                                                  \
	"<pattern id=\"flamegraph-rest\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\">" \
	"<path class=\"tone-rest\" d=\"M0 0h4v4h-4z\"/>"                                            \
	"<path class=\"line-rest\" d=\"M2 0v4\"/></pattern>\n"                                      \
	"<pattern id=\"flamegraph-gone-noise\" width=\"7\" height=\"7\" "                           \
	"patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"                          \
	"<path class=\"tone-noise\" d=\"M0 0h7v7h-7z\"/>"                                           \
	"<path class=\"line-noise\" d=\"M3 0v7\"/></pattern>\n"                                     \
	"<pattern id=\"flamegraph-gone\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" " \
	"patternTransform=\"rotate(45)\"><path class=\"tone-gone\" d=\"M0 0h7v7h-7z\"/>"            \
	"<path class=\"line-gone\" d=\"M3 0v7\"/></pattern>\n"                                      \
	"<pattern id=\"flamegraph-new\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "  \
	"patternTransform=\"rotate(-45)\"><path class=\"tone-new\" d=\"M0 0h7v7h-7z\"/>"            \
	"<path class=\"line-new\" d=\"M3 0v7\"/></pattern>\n"                                       \
	"</defs>\n"

const char *
flamegraph_page_part(enum flamegraph_part part)
{
	switch (part) {
	case FLAMEGRAPH_STYLE:
		return asset_flamegraph_css;
	case FLAMEGRAPH_SCRIPT:
		return asset_flamegraph_js;
	case FLAMEGRAPH_PATTERNS:
		break;
	}
	/* Not "display: none": some viewers do not draw what hidden elements define. */
	return "<svg class=\"flamegraph-patterns\" width=\"0\" height=\"0\" "
	       "aria-hidden=\"true\" focusable=\"false\">\n" PATTERNS "</svg>\n";
}

static void
put_part(struct buf *out, const char *open, const char *content, const char *close)
{
	buf_puts(out, open);
	buf_puts(out, content);
	buf_puts(out, close);
}

static void
put_slivers(const struct flamegraph_svg *svg, struct buf *out)
{
	buf_puts(out, "<g class=\"slivers\" fill=\"#ddd\">\n");
	for (size_t i = 0; i < svg->nslivers; i++) {
		const struct flamegraph_slivers *slivers = &svg->slivers[i];

		buf_printf(out, "<path class=\"%s\" d=\"", slivers->class);
		put_part(out, "", buf_text(&slivers->shape), "\"/>\n");
	}
	buf_puts(out, "</g>\n");
}

/* About how many, so that the document is not moved while it grows. */
static size_t
document_bytes(const struct flamegraph_svg *svg)
{
	const struct buf *layers[] = {&svg->head, &svg->boxes, &svg->labels, &svg->bars, &svg->axis,
		&svg->names, &svg->hidden, &svg->numbers};
	size_t bytes = DOCUMENT_BYTES;

	for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++)
		bytes += layers[i]->len;
	for (size_t i = 0; i < svg->nslivers; i++)
		bytes += svg->slivers[i].shape.len;
	return svg->embedded ? bytes
			     : bytes + strlen(asset_flamegraph_css) + strlen(asset_flamegraph_js);
}

/* The script and its data. */
static void
put_live_parts(const struct flamegraph_svg *svg, struct buf *out)
{
	put_part(out, "<metadata class=\"names\">", buf_text(&svg->names), "</metadata>\n");
	put_part(out, "<metadata class=\"functions\">", buf_text(&svg->hidden), "</metadata>\n");
	put_part(out, "<metadata class=\"boxes\">", buf_text(&svg->numbers), "</metadata>\n");
	if (!svg->embedded)
		put_part(out, "<script><![CDATA[\n", asset_flamegraph_js, "]]></script>\n");
}

static unsigned
document_height(const struct flamegraph_svg *svg)
{
	unsigned height = svg->top + svg->rows * svg->row_px;

	if (svg->still)
		return height + FLAMEGRAPH_MARGIN_PX;
	return height + FOOT_PX + (svg->icicle ? 0 : FLAMEGRAPH_LINE_PX);
}

void
flamegraph_svg_finish(struct flamegraph_svg *svg, const char *title, const struct buf *description,
	const char *attributes, struct buf *out)
{
	unsigned height = document_height(svg);

	flamegraph_svg_flush(svg);
	buf_reserve(out, document_bytes(svg));

	if (!svg->embedded)
		buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n");
	buf_printf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flamegraph\" font-family=\"sans-serif\" "
		"font-size=\"12\" width=\"%u\" "
		"height=\"%u\" viewBox=\"0 0 %u %u\" role=\"img\" lang=\"en\" data-mode=\"%s\" "
		"data-unit=\"",
		svg->width_px, height, svg->width_px, height, svg->mode);
	escape_xml(out, svg->unit, strlen(svg->unit));
	buf_printf(out,
		"\" data-top=\"%u\" data-row=\"%u\" data-rows=\"%u\" data-icicle=\"%d\" "
		"data-fixed=\"%d\" data-unlisted=\"%zu\"%s>\n",
		svg->top, svg->row_px, svg->rows, svg->icicle, svg->fixed, svg->unlisted,
		attributes);
	buf_puts(out, "<title>");
	name_put(out, title, strlen(title), FLAMEGRAPH_NAME_BYTES_MAX, &name_picture);
	put_part(out, "</title>\n<desc>", buf_text(description), "</desc>\n");
	if (!svg->embedded) {
		put_part(out, "<style>\n", asset_flamegraph_css, "</style>\n");
		buf_puts(out, PATTERNS);
	}
	/* Colours and sizes for viewers and servers that know no style; a style overrides them. */
	buf_printf(out, "<path class=\"back\" fill=\"#fff\" d=\"M0 0h%uv%uh-%uz\"/>\n",
		svg->width_px, height, svg->width_px);
	/* librsvg knows no "white-space: pre". */
	put_part(out,
		svg->still ? "<g class=\"head\" xml:space=\"preserve\">\n" : "<g class=\"head\">\n",
		buf_text(&svg->head), "</g>\n");
	put_slivers(svg, out);
	put_part(out, "<g class=\"boxes\" fill=\"#ddd\" stroke=\"#fff\">\n", buf_text(&svg->boxes),
		"</g>\n");
	put_part(out, "<g class=\"bars\" stroke=\"#555\">\n", buf_text(&svg->bars), "</g>\n");
	if (svg->chart)
		put_part(out, "<g class=\"axis\" font-size=\"11\" stroke=\"#555\">\n",
			buf_text(&svg->axis), "</g>\n");
	put_part(out, "<g class=\"labels\" font-family=\"monospace\" font-size=\"11\">\n",
		buf_text(&svg->labels), "</g>\n");
	if (!svg->still)
		put_live_parts(svg, out);
	buf_puts(out, "</svg>\n");
}
