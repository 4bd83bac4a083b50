/*
 * Run-by-run dots: a function's cost in every run, as an SVG inside the page.
 */
#include "output/html.h"

#include "base/escape.h"
#include "format/figures.h"
#include "profile/weights.h"

#include <math.h>
#include <string.h>

#define MARGIN_PX 4.0
#define LABEL_PX 52.0 /* room for "before" */
#define SCALE_PX 18
#define MIN_SPAN 0.1

struct side {
	const char *name;
	const char *colour; /* where the page's style is forbidden */
	size_t first;
	size_t count;
	/* Over the runs whose cost is known. */
	size_t known;
	double low;
	double high;
	double mean;
};

static struct side
side_of(const struct rows *rows, frame_id frame, enum quantity of, bool before)
{
	struct side side = {
		.name = before ? "before" : "after",
		.colour = before ? "#4a6fa5" : "#b4561b",
		.first = before ? 0 : rows->nbefore,
		.count = before ? rows->nbefore : rows->nafter,
		.low = INFINITY,
		.high = -INFINITY,
	};

	for (size_t run = side.first; run < side.first + side.count; run++) {
		double cost = rows_run_cost(rows, frame, of, run);

		if (!isfinite(cost))
			continue;
		side.known++;
		side.mean += cost;
		side.low = fmin(side.low, cost);
		side.high = fmax(side.high, cost);
	}
	side.mean = side.known > 0 ? side.mean / (double)side.known : NAN;
	return side;
}

static void
put_label(const struct rows *rows, const struct side *sides, struct buf *out)
{
	const char *unit = weights_cost_unit(rows->profile);
	struct buf label = {0};

	for (int i = 0; i < 2; i++) {
		if (sides[i].known == 0)
			continue;
		buf_printf(&label, "%s%s: ", label.len > 0 ? "; " : "", sides[i].name);
		format_plural(&label, sides[i].known, "run", "runs");
		buf_puts(&label, " from ");
		format_cost(&label, sides[i].low, unit);
		buf_puts(&label, " to ");
		format_cost(&label, sides[i].high, unit);
		buf_puts(&label, ", mean ");
		format_cost(&label, sides[i].mean, unit);
	}
	escape_xml(out, buf_text(&label), label.len);
	buf_release(&label);
}

/* The scale from costs to pixels. */
struct scale {
	double low;
	double high;
	double left_px;
	double right_px;
};

static struct scale
scale_of(const struct side *sides, const struct html_dots_size *size)
{
	struct scale scale = {
		.low = fmin(sides[0].low, sides[1].low),
		.high = fmax(sides[0].high, sides[1].high),
		.left_px = MARGIN_PX + (size->labelled ? LABEL_PX : 0),
		.right_px = size->width_px - MARGIN_PX,
	};
	double middle = (scale.low + scale.high) / 2;
	double half = fmax((scale.high - scale.low) / 2, middle * MIN_SPAN / 2);

	scale.low = middle - half;
	scale.high = middle + half;
	return scale;
}

static double
x_of(const struct scale *scale, double cost)
{
	return scale->left_px + (cost - scale->low) / (scale->high - scale->low) *
					(scale->right_px - scale->left_px);
}

/* The settings for drawing one band of dots. */
struct band {
	const struct html_dots_size *size;
	const struct scale *scale;
	double top_px;
	frame_id frame;
	enum quantity of;
};

static void
put_band(const struct rows *rows, const struct side *side, const struct band *band, struct buf *out)
{
	const struct html_dots_size *size = band->size;
	double step = (size->band_px - 2 * MARGIN_PX) / fmax(1, (double)side->count - 1);
	double mean_x = x_of(band->scale, side->mean);

	buf_printf(out, "<g class=\"%s\" fill=\"none\" stroke=\"%s\">", side->name, side->colour);
	if (size->labelled)
		buf_printf(out,
			"<text stroke=\"none\" fill=\"#595959\" x=\"0\" y=\"%.1f\">%s</text>",
			band->top_px + size->band_px / 2.0 + 4, side->name);
	buf_printf(out, "<path d=\"M%.1f %.1fV%.1f\"/>", mean_x, band->top_px + 1,
		band->top_px + size->band_px - 1);
	/* Lines of no length with round ends: the shortest way to say a dot. */
	buf_puts(out, "<path class=\"runs\" stroke-linecap=\"round\" d=\"");
	for (size_t k = 0; k < side->count; k++) {
		double cost = rows_run_cost(rows, band->frame, band->of, side->first + k);

		if (isfinite(cost))
			buf_printf(out, "M%.1f %.1fh0", x_of(band->scale, cost),
				band->top_px + MARGIN_PX + step * (double)k);
	}
	buf_printf(out, "\" stroke-width=\"%s\"/></g>", size->labelled ? "5" : "3.6");
}

static void
put_scale(const struct rows *rows, const struct scale *scale, double y, struct buf *out)
{
	const char *unit = weights_cost_unit(rows->profile);

	buf_printf(out, "<text class=\"scale\" fill=\"#595959\" x=\"%.1f\" y=\"%.1f\">",
		scale->left_px, y);
	format_cost_as(out, scale->low, unit, escape_xml);
	buf_printf(out,
		"</text><text class=\"scale end\" fill=\"#595959\" text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">",
		scale->right_px, y);
	format_cost_as(out, scale->high, unit, escape_xml);
	buf_puts(out, "</text>");
}

void
html_dots(const struct rows *rows, frame_id frame, enum quantity of,
	const struct html_dots_size *size, struct buf *out)
{
	const struct side sides[] = {
		side_of(rows, frame, of, true), side_of(rows, frame, of, false)};
	const struct scale scale = scale_of(sides, size);
	unsigned bands = (sides[0].known > 0) + (sides[1].known > 0);
	unsigned height = bands * size->band_px + (size->labelled ? SCALE_PX : 0);
	struct band band = {.size = size, .scale = &scale, .frame = frame, .of = of};

	if (bands == 0 || !(scale.high > scale.low))
		return;
	buf_printf(out, "<svg class=\"dots\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" ",
		size->width_px, height, size->width_px, height);
	buf_puts(out, "role=\"img\"><title>");
	put_label(rows, sides, out);
	buf_puts(out, "</title>");
	for (int i = 0; i < 2; i++) {
		if (sides[i].known == 0)
			continue;
		put_band(rows, &sides[i], &band, out);
		band.top_px += size->band_px;
	}
	if (size->labelled)
		put_scale(rows, &scale, height - 4.0, out);
	buf_puts(out, "</svg>");
}
