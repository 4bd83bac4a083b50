/*
 * The boxes of a flame graph: exact to a hundredth of a pixel, and those that nobody can point at
 * in few elements, so that a large picture opens and zooms at once.
 */
#include "flamegraph/svg.h"

#include "base/mem.h"
#include "format/name_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIN_EDGE_PX 4.0
#define NAMED_PX (3 * FLAMEGRAPH_COLUMN_PX + 2 * FLAMEGRAPH_PADDING_PX)
#define MOST_LEVELS 400
#define FREE_LEVELS 60 /* as many fit on a screen */
#define MIN_LEVEL_PX 12.0
#define MIN_SLIVER_PX 0.1
/* Hundredths: slivers of a chart with smaller gaps are one, so that a thread that runs often but
 * briefly is seen. */
#define CHART_GAP 10

uint32_t
flamegraph_svg_levels(
	const struct flamegraph_svg *svg, const struct flamegraph_layout *layout, double whole)
{
	double px = whole > 0 ? (svg->width_px - 2 * FLAMEGRAPH_MARGIN_PX) / whole : 0;
	double width[MOST_LEVELS] = {0};
	uint32_t levels = 1;

	for (size_t i = 0; i < layout->nboxes; i++) {
		const struct flamegraph_box *box = &layout->boxes[i];
		double box_px = box->width * px;

		if (box->depth >= MOST_LEVELS || box_px < svg->least_px)
			continue;
		width[box->depth] += box_px;
		if (box->depth >= levels && box->depth < FREE_LEVELS && box_px >= MIN_EDGE_PX)
			levels = box->depth + 1;
	}
	while (levels < MOST_LEVELS && width[levels] > 0 &&
		(width[levels] >= MIN_LEVEL_PX || (svg->chart && levels < FREE_LEVELS)))
		levels++;
	return levels;
}

static void
start(struct flamegraph_svg *svg, uint32_t levels, int step, double whole)
{
	svg->top = svg->y - 6;
	svg->levels = levels;
	svg->step = step;
	svg->skipped = UINT32_MAX;
	svg->scale = whole > 0 ? (svg->width_px - 2 * FLAMEGRAPH_MARGIN_PX) / whole : 0;
}

void
flamegraph_svg_start_boxes(struct flamegraph_svg *svg, uint32_t levels, double whole)
{
	start(svg, levels, svg->icicle ? 1 : -1, whole);
	if (svg->icicle)
		svg->top += FLAMEGRAPH_LINE_PX; /* for the path of a zoomed box */
	if (svg->chart)
		svg->top += FLAMEGRAPH_AXIS_PX;
	svg->rows = levels;
	svg->root = svg->icicle ? 0 : levels - 1;
}

void
flamegraph_svg_start_sandwich(
	struct flamegraph_svg *svg, uint32_t above, uint32_t below, double whole)
{
	start(svg, below, 1, whole);
	svg->rows = above + below - 1;
	svg->root = above - 1;
}

/* Weights that add up to infinity, as a file may hold them, must not lead out of the picture. */
static long
hundredths(double px)
{
	return lround(fmin(px > 0 ? px : 0, FLAMEGRAPH_MAX_WIDTH_PX) * 100);
}

static void
put_px(struct buf *out, long value)
{
	if (value < 0) {
		buf_putc(out, '-');
		value = -value;
	}
	long whole = value / 100;

	if (whole > 0 || value == 0)
		buf_put_number(out, (double)whole);
	if (value % 100 > 0) {
		buf_putc(out, '.');
		buf_putc(out, (char)('0' + value / 10 % 10));
		if (value % 10 > 0)
			buf_putc(out, (char)('0' + value % 10));
	}
}

static uint32_t
row_of(const struct flamegraph_svg *svg, const struct flamegraph_box *box)
{
	return svg->step > 0 ? svg->root + box->depth : svg->root - box->depth;
}

static unsigned
box_top(const struct flamegraph_svg *svg, const struct flamegraph_box *box)
{
	return svg->top + row_of(svg, box) * svg->row_px;
}

/* Both edges are rounded, not the width, so that neighbours touch exactly. */
static struct flamegraph_span
span_of(const struct flamegraph_svg *svg, const struct flamegraph_box *box)
{
	struct flamegraph_span span = {
		hundredths(FLAMEGRAPH_MARGIN_PX), hundredths(svg->width_px - FLAMEGRAPH_MARGIN_PX)};

	if (!(svg->scale > 0))
		return span;
	span.left = hundredths(FLAMEGRAPH_MARGIN_PX + box->x * svg->scale);
	span.right = hundredths(FLAMEGRAPH_MARGIN_PX + (box->x + box->width) * svg->scale);
	if (span.right <= span.left)
		span.right = span.left + 1;
	return span;
}

static void
put_shape(const struct flamegraph_svg *svg, struct flamegraph_span span, uint32_t row,
	struct buf *out)
{
	buf_putc(out, 'M');
	put_px(out, span.left);
	buf_putc(out, ' ');
	buf_put_number(out, svg->top + row * svg->row_px);
	buf_putc(out, 'h');
	put_px(out, span.right - span.left);
	buf_putc(out, 'v');
	buf_put_number(out, svg->row_px - 1);
	buf_putc(out, 'h');
	put_px(out, span.left - span.right);
	buf_putc(out, 'z');
}

/* The slivers of a class; NULL if there are more classes than expected. */
static struct flamegraph_slivers *
slivers_of(struct flamegraph_svg *svg, const char *class)
{
	const char hue[] = {class[0], '2', '\0'};
	size_t len = strlen(class);

	/* Slivers need no shade: they cannot be distinguished from their neighbours. */
	if (len == 2 && strcmp(svg->mode, "diff") != 0)
		class = hue;

	for (size_t i = 0; i < svg->nslivers; i++)
		if (strcmp(svg->slivers[i].class, class) == 0)
			return &svg->slivers[i];
	if (svg->nslivers == FLAMEGRAPH_CLASSES_MAX || len >= sizeof(svg->slivers[0].class))
		return NULL;
	struct flamegraph_slivers *slivers = &svg->slivers[svg->nslivers++];

	memcpy(slivers->class, class, len + 1);
	slivers->last = mem_zalloc(svg->rows, sizeof(*slivers->last));
	return slivers;
}

/* Draws the span collected in a row, if it is wide enough to be seen. */
static void
flush_row(struct flamegraph_svg *svg, struct flamegraph_slivers *slivers, uint32_t row)
{
	struct flamegraph_span *last = &slivers->last[row];
	long width = last->right - last->left;

	if (svg->chart && width > 0 && width < CHART_GAP) {
		last->right = last->left + CHART_GAP;
		width = CHART_GAP;
	}
	if (width > 0 && width >= hundredths(fmin(svg->least_px, MIN_SLIVER_PX)))
		put_shape(svg, *last, row, &slivers->shape);
}

static void
add_sliver(struct flamegraph_svg *svg, struct flamegraph_slivers *slivers,
	const struct flamegraph_box *box)
{
	uint32_t row = row_of(svg, box);
	struct flamegraph_span span = span_of(svg, box);
	struct flamegraph_span *last = &slivers->last[row];

	/* For the narrowest, a hundredth is too much. */
	if (last->right > 0 && labs(span.left - last->right) <= (svg->chart ? CHART_GAP : 1)) {
		last->right = span.right > last->right ? span.right : last->right;
		return;
	}
	flush_row(svg, slivers, row);
	*last = span;
}

void
flamegraph_svg_flush(struct flamegraph_svg *svg)
{
	for (size_t i = 0; i < svg->nslivers; i++)
		for (uint32_t row = 0; row < svg->rows; row++)
			flush_row(svg, &svg->slivers[i], row);
}

bool
flamegraph_svg_shows(struct flamegraph_svg *svg, const struct flamegraph_box *box)
{
	if (box->depth == 0)
		return true;
	if (box->depth >= svg->levels)
		return false;
	if (svg->coarse)
		return box->width * svg->scale >= NAMED_PX;
	if (box->width * svg->scale >= svg->least_px) {
		svg->skipped = UINT32_MAX;
		return true;
	}
	/* Its callees are narrower still. */
	if (box->depth <= svg->skipped) {
		struct flamegraph_slivers *slivers = slivers_of(svg, "o");

		svg->skipped = box->depth;
		if (slivers)
			add_sliver(svg, slivers, box);
	}
	return false;
}

bool
flamegraph_svg_begin_box(
	struct flamegraph_svg *svg, const struct flamegraph_box *box, const char *class)
{
	struct buf *out = &svg->boxes;
	struct flamegraph_span span = span_of(svg, box);
	long width = span.right - span.left;
	bool tooltip = width >= hundredths(FLAMEGRAPH_MIN_TOOLTIP_PX) && !svg->coarse;
	struct flamegraph_slivers *slivers = tooltip || svg->coarse ? NULL : slivers_of(svg, class);

	if (slivers) {
		add_sliver(svg, slivers, box);
		return false;
	}
	buf_puts(out, "<path class=\"");
	buf_puts(out, class);
	/* Wide boxes get a line between them and the next; narrow ones would only be dimmed by it.
	 */
	buf_puts(out, width >= hundredths(MIN_EDGE_PX) ? " w\" d=\"" : "\" d=\"");
	put_shape(svg, span, row_of(svg, box), out);
	buf_puts(out, tooltip ? "\"><title>" : "\"/>\n");
	return tooltip;
}

void
flamegraph_svg_end_box(struct flamegraph_svg *svg, bool tooltip)
{
	if (tooltip)
		buf_puts(&svg->boxes, "</title></path>\n");
}

/* The base line of a label; in a difference two bars are below it. */
static unsigned
label_y(const struct flamegraph_svg *svg, const struct flamegraph_box *box)
{
	unsigned bars_px = strcmp(svg->mode, "diff") == 0 ? 6 : 0;

	return box_top(svg, box) + (svg->row_px - bars_px) / 2 + 4;
}

/* The name in the data, as the script makes it. */
static void
put_label(struct flamegraph_svg *svg, const char *name, size_t columns)
{
	const struct name_style uncut = {.ellipsis = name_picture.ellipsis, .escape = escape_utf8};
	struct buf known = {0};

	if (strlen(name) > svg->name_bytes) {
		name_put(&known, name, strlen(name), svg->name_bytes, &uncut);
		name = buf_text(&known);
	}
	name_fit_as(&svg->labels, name, strlen(name), columns, &name_picture);
	buf_release(&known);
}

void
flamegraph_svg_label(struct flamegraph_svg *svg, const struct flamegraph_box *box,
	const char *prefix, const char *name)
{
	struct buf *out = &svg->labels;
	struct flamegraph_span span = span_of(svg, box);
	double columns = ((double)(span.right - span.left) / 100 - 2 * FLAMEGRAPH_PADDING_PX) /
			 FLAMEGRAPH_COLUMN_PX;
	double prefix_columns = (double)name_columns(prefix, strlen(prefix));

	if (columns - prefix_columns < 3)
		return;
	buf_puts(out, "<text x=\"");
	put_px(out, span.left + FLAMEGRAPH_PADDING_PX * 100L);
	buf_puts(out, "\" y=\"");
	buf_put_number(out, label_y(svg, box));
	buf_puts(out, "\">");
	buf_puts(out, prefix);
	put_label(svg, name, (size_t)(columns - prefix_columns));
	buf_puts(out, "</text>\n");
}

void
flamegraph_svg_bar(struct flamegraph_svg *svg, struct buf *path, const struct flamegraph_box *box,
	double length, unsigned above_px)
{
	buf_putc(path, 'M');
	put_px(path, hundredths(FLAMEGRAPH_MARGIN_PX + box->x * svg->scale));
	buf_putc(path, ' ');
	buf_put_number(path, box_top(svg, box) + svg->row_px - 1 - above_px);
	buf_putc(path, 'h');
	put_px(path, hundredths(length * svg->scale));
}
