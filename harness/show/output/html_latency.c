/*
 * The distribution of latencies before and after, as the page draws it: how long so many of the
 * operations took at most, on a logarithmic scale. It is made of the means of the runs.
 */
#include "output/html.h"

#include "format/figures.h"
#include "profile/counters.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define LEFT_PX 64.0
#define RIGHT_PX 340.0
#define TOP_PX 12.0
#define BOTTOM_PX 116.0
#define WIDTH_PX 400
#define HEIGHT_PX 136
#define POINTS_MAX (COUNTER_LATENCY_MAX - COUNTER_LATENCY_P50 + 1)
/* The scale spans this factor at least. */
#define SPAN_MIN 1.2

struct drawing {
	const struct counter_row *rows; /* the percentiles and the maximum, as far as known */
	size_t count;
	double low; /* ln(ns) */
	double high;
};

struct curve {
	const char *name;
	const char *colour; /* where the page's style is forbidden */
	bool before;
};

static const struct curve curves[] = {{"before", "#4a6fa5", true}, {"after", "#b4561b", false}};

static double
latency_of(const struct counter_row *row, const struct curve *curve)
{
	return curve->before ? row->before : row->after;
}

static double
latency_x(const struct drawing *drawing, size_t i)
{
	const size_t last = drawing->count > 1 ? drawing->count - 1 : 1;

	return LEFT_PX + (RIGHT_PX - LEFT_PX) * (double)i / (double)last;
}

static double
latency_y(const struct drawing *drawing, double ns)
{
	return BOTTOM_PX -
	       (BOTTOM_PX - TOP_PX) * (log(ns) - drawing->low) / (drawing->high - drawing->low);
}

/* False where less than two points are known of each side. */
static bool
find_scale(struct drawing *drawing)
{
	size_t most = 0;

	drawing->low = INFINITY;
	drawing->high = -INFINITY;
	for (size_t side = 0; side < 2; side++) {
		size_t known = 0;

		for (size_t i = 0; i < drawing->count; i++) {
			const double ns = latency_of(&drawing->rows[i], &curves[side]);

			if (!(ns > 0) || !isfinite(ns))
				continue;
			known++;
			drawing->low = fmin(drawing->low, log(ns));
			drawing->high = fmax(drawing->high, log(ns));
		}
		most = known > most ? known : most;
	}
	if (drawing->high - drawing->low < log(SPAN_MIN))
		drawing->high = drawing->low + log(SPAN_MIN);
	return most >= 2;
}

static void
put_latency_value(const struct counter_row *row, double ns, struct buf *out)
{
	struct buf text = {0};

	counter_put(&text, row->kind, ns);
	escape_xml(out, buf_text(&text), text.len);
	buf_release(&text);
}

/* "p50" of "latency_p50". */
static const char *
latency_label(const struct counter_row *row)
{
	const char *underscore = strrchr(row->kind->name, '_');

	return underscore ? underscore + 1 : row->kind->name;
}

static void
put_latency_title(const struct drawing *drawing, struct buf *out)
{
	buf_puts(out, "<title>");
	for (size_t side = 0; side < 2; side++) {
		const char *separator = side == 0 ? "" : "; ";
		bool any = false;

		for (size_t i = 0; i < drawing->count; i++) {
			const double ns = latency_of(&drawing->rows[i], &curves[side]);

			if (!(ns > 0) || !isfinite(ns))
				continue;
			if (!any)
				buf_printf(out, "%s%s: ", separator, curves[side].name);
			buf_printf(out, "%s%s ", any ? ", " : "", latency_label(&drawing->rows[i]));
			put_latency_value(&drawing->rows[i], ns, out);
			any = true;
		}
	}
	buf_puts(out, "</title>");
}

static void
put_latency_axes(const struct drawing *drawing, struct buf *out)
{
	const double ends[] = {drawing->high, drawing->low};

	buf_puts(out, "<g fill=\"#595959\">");
	for (size_t i = 0; i < 2; i++) {
		buf_printf(out,
			"<text class=\"scale end\" text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">",
			LEFT_PX - 8, latency_y(drawing, exp(ends[i])) + 4);
		put_latency_value(&drawing->rows[0], exp(ends[i]), out);
		buf_puts(out, "</text>");
	}
	for (size_t i = 0; i < drawing->count; i++)
		buf_printf(out,
			"<text class=\"scale\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">%s</text>",
			latency_x(drawing, i), HEIGHT_PX - 4.0, latency_label(&drawing->rows[i]));
	buf_puts(out, "</g>");
}

static void
put_latency_curve(const struct drawing *drawing, const struct curve *curve, struct buf *out)
{
	const char *step = "M";
	double end_px = NAN;

	buf_printf(out, "<g class=\"%s\" fill=\"none\" stroke=\"%s\"><path d=\"", curve->name,
		curve->colour);
	for (size_t i = 0; i < drawing->count; i++) {
		const double ns = latency_of(&drawing->rows[i], curve);

		if (!(ns > 0) || !isfinite(ns))
			continue;
		end_px = latency_y(drawing, ns);
		buf_printf(out, "%s%.1f %.1f", step, latency_x(drawing, i), end_px);
		step = "L";
	}
	buf_puts(out, "\"/>");
	/* One above its end, the other below: both can be read where they end at the same place. */
	if (isfinite(end_px))
		buf_printf(out,
			"<text class=\"name\" stroke=\"none\" fill=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>",
			curve->colour, RIGHT_PX + 6, end_px + (curve->before ? -2 : 10),
			curve->name);
	buf_puts(out, "</g>");
}

/* Nothing where fewer than two are known. */
void
html_latency(const struct judgement *judgement, struct buf *out)
{
	struct counter_row all[NCOUNTERS];
	struct counter_row rows[POINTS_MAX];
	struct drawing drawing = {.rows = rows};
	const size_t count = counter_rows(judgement, all);

	for (size_t i = 0; i < count; i++) {
		const enum counter_id id = (enum counter_id)(all[i].kind - counter_kinds);

		if (id >= COUNTER_LATENCY_P50 && id <= COUNTER_LATENCY_MAX)
			rows[drawing.count++] = all[i];
	}
	if (!find_scale(&drawing))
		return;
	buf_printf(out,
		"<figure><figcaption>Latency by percentile, means of the runs</figcaption>"
		"<svg class=\"dots\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">",
		WIDTH_PX, HEIGHT_PX, WIDTH_PX, HEIGHT_PX);
	put_latency_title(&drawing, out);
	put_latency_axes(&drawing, out);
	for (size_t side = 0; side < 2; side++)
		put_latency_curve(&drawing, &curves[side], out);
	buf_puts(out, "</svg></figure>\n");
}
