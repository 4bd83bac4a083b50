/*
 * The boxes of a flame graph: exact to a hundredth of a pixel, and those that nobody can point at
 * in few elements, so that a large picture opens and zooms at once.
 */
#include "flamegraph/svg.h"

#include "format/name.h"

#include <math.h>
#include <string.h>

#define MIN_EDGE_PX 4.0

void
flamegraph_svg_start_boxes(
	struct flamegraph_svg *svg, const struct flamegraph_layout *layout, double whole)
{
	svg->top = svg->y - 6;
	if (svg->icicle)
		svg->top += FLAMEGRAPH_LINE_PX; /* for the path of a zoomed box */
	svg->levels = layout->levels;
	svg->scale = whole > 0 ? (svg->width_px - 2 * FLAMEGRAPH_MARGIN_PX) / whole : 0;
}

/*
 * Hundredths of a pixel, the precision of everything that is written. Weights that add up to
 * infinity, as a file may hold them, must not lead out of the picture.
 */
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

static unsigned
box_top(const struct flamegraph_svg *svg, const struct flamegraph_box *box)
{
	uint32_t row = svg->icicle ? box->depth : svg->levels - 1 - box->depth;

	return svg->top + row * svg->row_px;
}

/* Both edges are rounded, not the width, so that neighbours touch exactly. */
static void
box_edges(
	const struct flamegraph_svg *svg, const struct flamegraph_box *box, long *left, long *right)
{
	*left = hundredths(FLAMEGRAPH_MARGIN_PX);
	*right = hundredths(svg->width_px - FLAMEGRAPH_MARGIN_PX);
	if (!(svg->scale > 0))
		return;
	*left = hundredths(FLAMEGRAPH_MARGIN_PX + box->x * svg->scale);
	*right = hundredths(FLAMEGRAPH_MARGIN_PX + (box->x + box->width) * svg->scale);
	if (*right <= *left)
		*right = *left + 1;
}

static void
put_shape(const struct flamegraph_svg *svg, const struct flamegraph_box *box, struct buf *out)
{
	long left;
	long right;

	box_edges(svg, box, &left, &right);
	buf_putc(out, 'M');
	put_px(out, left);
	buf_putc(out, ' ');
	buf_put_number(out, box_top(svg, box));
	buf_putc(out, 'h');
	put_px(out, right - left);
	buf_putc(out, 'v');
	buf_put_number(out, svg->row_px - 1);
	buf_putc(out, 'h');
	put_px(out, left - right);
	buf_putc(out, 'z');
}

/* What collects the slivers of a class; NULL if there are more classes than expected. */
static struct flamegraph_slivers *
slivers_of(struct flamegraph_svg *svg, const char *class)
{
	size_t len = strlen(class);

	for (size_t i = 0; i < svg->nslivers; i++)
		if (strcmp(svg->slivers[i].class, class) == 0)
			return &svg->slivers[i];
	if (svg->nslivers == FLAMEGRAPH_CLASSES_MAX || len >= sizeof(svg->slivers[0].class))
		return NULL;
	struct flamegraph_slivers *slivers = &svg->slivers[svg->nslivers++];

	memcpy(slivers->class, class, len + 1);
	return slivers;
}

bool
flamegraph_svg_begin_box(
	struct flamegraph_svg *svg, const struct flamegraph_box *box, const char *class)
{
	struct buf *out = &svg->boxes;
	size_t index = svg->nboxes++;
	long left;
	long right;

	box_edges(svg, box, &left, &right);
	bool tooltip = right - left >= hundredths(FLAMEGRAPH_MIN_TOOLTIP_PX);
	struct flamegraph_slivers *slivers = tooltip ? NULL : slivers_of(svg, class);

	if (slivers) {
		put_shape(svg, box, &slivers->shape);
		buf_putc(&slivers->boxes, ' ');
		buf_put_number(&slivers->boxes, (double)(index - slivers->last));
		slivers->last = index;
		return false;
	}
	buf_puts(out, "<path class=\"");
	buf_puts(out, class);
	/* Wide boxes get a line between them and the next; narrow ones would only be dimmed by it.
	 */
	buf_puts(out, right - left >= hundredths(MIN_EDGE_PX) ? " w\" d=\"" : "\" d=\"");
	put_shape(svg, box, out);
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

/* Of the name that the data has, as the script makes it. */
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
	long left;
	long right;

	box_edges(svg, box, &left, &right);
	double columns =
		((double)(right - left) / 100 - 2 * FLAMEGRAPH_PADDING_PX) / FLAMEGRAPH_COLUMN_PX;
	double prefix_columns = (double)name_columns(prefix, strlen(prefix));

	if (columns - prefix_columns < 3)
		return;
	buf_puts(out, "<text x=\"");
	put_px(out, left + FLAMEGRAPH_PADDING_PX * 100L);
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
