#include "output/html_dots.h"

#include "base/escape.h"
#include "output/words.h"

#include <math.h>
#include <string.h>

#define MARGIN_PX 4.0

struct side {
	const char *name;
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
	const char *unit = strtab_str(&rows->profile->strings, rows->profile->cost_unit);
	struct buf label;

	buf_init(&label);
	for (int i = 0; i < 2; i++) {
		if (sides[i].known == 0)
			continue;
		buf_printf(&label, "%s%s: ", label.len > 0 ? "; " : "", sides[i].name);
		words_plural(&label, sides[i].known, "run", "runs");
		buf_puts(&label, " from ");
		words_cost(&label, sides[i].low, unit);
		buf_puts(&label, " to ");
		words_cost(&label, sides[i].high, unit);
		buf_puts(&label, ", mean ");
		words_cost(&label, sides[i].mean, unit);
	}
	escape_xml(out, buf_text(&label), label.len);
	buf_release(&label);
}

/* Where a cost stands between `low` and `high`, in pixels. */
static double
x_of(double cost, double low, double high, double width)
{
	double span = high - low;
	double at = span > 0 ? (cost - low) / span : 0.5;

	return MARGIN_PX + at * (width - 2 * MARGIN_PX);
}

void
html_dots(const struct rows *rows, frame_id frame, enum quantity of,
	const struct html_dots_size *size, struct buf *out)
{
	const struct side sides[] = {
		side_of(rows, frame, of, true), side_of(rows, frame, of, false)};
	double low = fmin(sides[0].low, sides[1].low);
	double high = fmax(sides[0].high, sides[1].high);
	double top = 0;
	unsigned bands = (sides[0].known > 0) + (sides[1].known > 0);

	if (bands == 0)
		return;
	buf_printf(out, "<svg class=\"dots\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" ",
		size->width_px, bands * size->band_px, size->width_px, bands * size->band_px);
	buf_puts(out, "role=\"img\" aria-label=\"");
	put_label(rows, sides, out);
	buf_puts(out, "\"><title>");
	put_label(rows, sides, out);
	buf_puts(out, "</title>");
	for (int i = 0; i < 2; i++) {
		double step = (size->band_px - 2 * MARGIN_PX) / fmax(1, (double)sides[i].count - 1);

		if (sides[i].known == 0)
			continue;
		double mean_x = x_of(sides[i].mean, low, high, size->width_px);

		buf_printf(out, "<g class=\"%s\"><path d=\"M%.1f %.1fV%.1f\"/>", sides[i].name,
			mean_x, top + 1, top + size->band_px - 1);
		for (size_t k = 0; k < sides[i].count; k++) {
			double cost = rows_run_cost(rows, frame, of, sides[i].first + k);

			if (!isfinite(cost))
				continue;
			buf_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.8\"/>",
				x_of(cost, low, high, size->width_px),
				top + MARGIN_PX + step * (double)k);
		}
		buf_puts(out, "</g>");
		top += size->band_px;
	}
	buf_puts(out, "</svg>");
}
