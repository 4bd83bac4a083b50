/* Dots: a function's cost, or a counter, in every run, as an SVG inside the page. */
#include "output/html.h"

#include "base/base64.h"
#include "base/escape.h"
#include "format/figures.h"
#include "profile/counters.h"
#include "profile/weights.h"

#include <math.h>
#include <string.h>

#define MARGIN_PX 4.0
#define LABEL_PX 52.0 /* room for "before" */
#define SCALE_PX 18
#define MIN_SPAN 0.1
#define PLACES 64 /* of a dot, as text */

/* The values that are drawn: one of each run, first those before, then those after. */
struct dots_values {
	size_t nbefore;
	size_t nafter;
	double (*of_run)(const struct dots_values *values, size_t run); /* NAN: not known */
	void (*put)(const struct dots_values *values, double value, struct buf *out);
	/* For a function: */
	const struct rows *rows;
	frame_id frame;
	enum quantity of;
	/* For a counter: */
	const struct judgement *judgement;
	enum counter_id counter;
};

struct dots_side {
	const char *name;
	const char *colour; /* where the page's style is forbidden */
	size_t first;
	size_t count;
	/* Over the runs whose value is known. */
	size_t known;
	double low;
	double high;
	double mean;
};

static double
cost_of_run(const struct dots_values *values, size_t run)
{
	return rows_run_cost(values->rows, values->frame, values->of, run);
}

static void
put_function_cost(const struct dots_values *values, double value, struct buf *out)
{
	format_cost(out, value, weights_cost_unit(values->rows->profile));
}

static double
counter_of_run(const struct dots_values *values, size_t run)
{
	const struct gate_input *input = &values->judgement->input;

	return run < values->nbefore ? counter_value(&input->before->runs[run], values->counter)
				     : counter_value(&input->candidate->runs[run - values->nbefore],
					       values->counter);
}

static void
put_counter_value(const struct dots_values *values, double value, struct buf *out)
{
	counter_put(out, &counter_kinds[values->counter], value);
}

static struct dots_side
dots_side_of(const struct dots_values *values, bool before)
{
	struct dots_side side = {
		.name = before ? "before" : "after",
		.colour = before ? "#4a6fa5" : "#b4561b",
		.first = before ? 0 : values->nbefore,
		.count = before ? values->nbefore : values->nafter,
		.low = INFINITY,
		.high = -INFINITY,
	};

	for (size_t run = side.first; run < side.first + side.count; run++) {
		double value = values->of_run(values, run);

		if (!isfinite(value))
			continue;
		side.known++;
		side.mean += value;
		side.low = fmin(side.low, value);
		side.high = fmax(side.high, value);
	}
	side.mean = side.known > 0 ? side.mean / (double)side.known : NAN;
	return side;
}

static void
put_dots_label(const struct dots_values *values, const struct dots_side *sides, struct buf *out)
{
	struct buf label = {0};

	for (int i = 0; i < 2; i++) {
		if (sides[i].known == 0)
			continue;
		buf_printf(&label, "%s%s: ", label.len > 0 ? "; " : "", sides[i].name);
		format_plural(&label, sides[i].known, "run", "runs");
		buf_puts(&label, " from ");
		values->put(values, sides[i].low, &label);
		buf_puts(&label, " to ");
		values->put(values, sides[i].high, &label);
		buf_puts(&label, ", mean ");
		values->put(values, sides[i].mean, &label);
	}
	escape_xml(out, buf_text(&label), label.len);
	buf_release(&label);
}

/* The scale from values to pixels. */
struct scale {
	double low;
	double high;
	double left_px;
	double right_px;
};

static struct scale
scale_of(const struct dots_side *sides, const struct html_dots_size *size)
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
dots_x(const struct scale *scale, double value)
{
	return scale->left_px + (value - scale->low) / (scale->high - scale->low) *
					(scale->right_px - scale->left_px);
}

/* The settings for drawing one band of dots. */
struct band {
	const struct html_dots_size *size;
	const struct scale *scale;
	double top_px;
};

static void
put_band(const struct dots_values *values, const struct dots_side *side, const struct band *band,
	struct buf *out)
{
	const struct html_dots_size *size = band->size;
	double step = (size->band_px - 2 * MARGIN_PX) / fmax(1, (double)side->count - 1);
	double mean_x = dots_x(band->scale, side->mean);

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
		double value = values->of_run(values, side->first + k);

		if (isfinite(value))
			buf_printf(out, "M%.1f %.1fh0", dots_x(band->scale, value),
				band->top_px + MARGIN_PX + step * (double)k);
	}
	buf_printf(out, "\" stroke-width=\"%s\"/></g>", size->labelled ? "5" : "3.6");
}

static void
put_escaped(const struct dots_values *values, double value, struct buf *out)
{
	struct buf text = {0};

	values->put(values, value, &text);
	escape_xml(out, buf_text(&text), text.len);
	buf_release(&text);
}

static void
put_dots_scale(
	const struct dots_values *values, const struct scale *scale, double y, struct buf *out)
{
	buf_printf(out, "<text class=\"scale\" fill=\"#595959\" x=\"%.1f\" y=\"%.1f\">",
		scale->left_px, y);
	put_escaped(values, scale->low, out);
	buf_printf(out,
		"</text><text class=\"scale end\" fill=\"#595959\" text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">",
		scale->right_px, y);
	put_escaped(values, scale->high, out);
	buf_puts(out, "</text>");
}

static void
put_dots(const struct dots_values *values, const struct html_dots_size *size, struct buf *out)
{
	const struct dots_side sides[] = {dots_side_of(values, true), dots_side_of(values, false)};
	const struct scale scale = scale_of(sides, size);
	unsigned bands = (sides[0].known > 0) + (sides[1].known > 0);
	unsigned height = bands * size->band_px + (size->labelled ? SCALE_PX : 0);
	struct band band = {.size = size, .scale = &scale};

	if (bands == 0 || !(scale.high > scale.low))
		return;
	buf_printf(out, "<svg class=\"dots\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" ",
		size->width_px, height, size->width_px, height);
	buf_puts(out, "role=\"img\"><title>");
	put_dots_label(values, sides, out);
	buf_puts(out, "</title>");
	for (int i = 0; i < 2; i++) {
		if (sides[i].known == 0)
			continue;
		put_band(values, &sides[i], &band, out);
		band.top_px += size->band_px;
	}
	if (size->labelled)
		put_dots_scale(values, &scale, height - 4.0, out);
	buf_puts(out, "</svg>");
}

static struct dots_values
function_costs(const struct rows *rows, frame_id frame, enum quantity of)
{
	return (struct dots_values){
		.nbefore = rows->nbefore,
		.nafter = rows->nafter,
		.of_run = cost_of_run,
		.put = put_function_cost,
		.rows = rows,
		.frame = frame,
		.of = of,
	};
}

void
html_dots(const struct rows *rows, frame_id frame, enum quantity of,
	const struct html_dots_size *size, struct buf *out)
{
	const struct dots_values values = function_costs(rows, frame, of);

	put_dots(&values, size, out);
}

/* A digit of base64 for each run. */
static void
put_places(const struct dots_values *values, const struct dots_side *side,
	const struct scale *scale, struct buf *out)
{
	for (size_t k = 0; k < side->count; k++) {
		const double value = values->of_run(values, side->first + k);

		buf_putc(out, isfinite(value) ? base64_digits[lround(dots_x(scale, value))] : '.');
	}
}

void
html_dots_text(const struct rows *rows, frame_id frame, enum quantity of, struct buf *out)
{
	static const struct html_dots_size size = {.width_px = PLACES};
	const struct dots_values values = function_costs(rows, frame, of);
	const struct dots_side sides[] = {
		dots_side_of(&values, true), dots_side_of(&values, false)};
	struct scale scale = scale_of(sides, &size);
	const char *between = "";

	scale.left_px = 0;
	scale.right_px = PLACES - 1;
	if (!(scale.high > scale.low))
		return;
	for (int i = 0; i < 2; i++) {
		if (sides[i].known == 0)
			continue;
		buf_printf(out, "%s%s ", between, sides[i].name);
		put_escaped(&values, sides[i].low, out);
		buf_puts(out, " to ");
		put_escaped(&values, sides[i].high, out);
		buf_puts(out, ", mean ");
		put_escaped(&values, sides[i].mean, out);
		buf_putc(out, ' ');
		put_places(&values, &sides[i], &scale, out);
		between = "; ";
	}
}

void
html_counter_dots(const struct judgement *judgement, enum counter_id counter,
	const struct html_dots_size *size, struct buf *out)
{
	const struct gate_input *input = &judgement->input;
	const struct dots_values values = {
		.nbefore = judgement->compared ? input->before->nruns : 0,
		.nafter = input->candidate ? input->candidate->nruns : 0,
		.of_run = counter_of_run,
		.put = put_counter_value,
		.judgement = judgement,
		.counter = counter,
	};

	put_dots(&values, size, out);
}
