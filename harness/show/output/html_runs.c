/*
 * The runs of a workload on the page: their costs and counters as dots, the distribution of their
 * latencies, their validity with the differences between the two sides, and a table of every run.
 */
#include "base/escape.h"
#include "format/figures.h"
#include "output/html.h"
#include "profile/counters.h"
#include "profile/fields.h"
#include "profile/quality.h"
#include "profile/weights.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MARGIN_PX 4.0
#define LABEL_PX 52.0 /* room for "before" */
#define SCALE_PX 18
#define MIN_SPAN 0.1
#define LEFT_PX 64.0
#define RIGHT_PX 340.0
#define TOP_PX 12.0
#define BOTTOM_PX 116.0
#define WIDTH_PX 400
#define HEIGHT_PX 136
#define POINTS_MAX (COUNTER_LATENCY_MAX - COUNTER_LATENCY_P50 + 1)
/* The scale spans this factor at least. */
#define SPAN_MIN 1.2
#define HEADING_BYTES 40

/* Dots: a function's cost, or a counter, in every run, as an SVG inside the page. */

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

void
html_dots(const struct rows *rows, frame_id frame, enum quantity of,
	const struct html_dots_size *size, struct buf *out)
{
	const struct dots_values values = {
		.nbefore = rows->nbefore,
		.nafter = rows->nafter,
		.of_run = cost_of_run,
		.put = put_function_cost,
		.rows = rows,
		.frame = frame,
		.of = of,
	};

	put_dots(&values, size, out);
}

static void
put_dots_of_counter(const struct judgement *judgement, enum counter_id counter,
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

/*
 * The validity of a workload's runs: notes on them, the differences between the two sides with
 * their latencies, and a table of every run.
 */

/*
 * The distribution of latencies before and after, as the page draws it: how long so many of the
 * operations took at most, on a logarithmic scale. It is made of the means of the runs.
 */

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
static void
put_latency(const struct judgement *judgement, struct buf *out)
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

static void
put_cell(const struct run_field *column, double value, struct buf *out)
{
	html_number_begin(out, value);
	if (!column->unit)
		format_count(out, round(value));
	else if (strcmp(column->unit, "ratio") != 0)
		format_cost(out, value, column->unit);
	else if (!isnan(value))
		format_percent(out, value);
	buf_puts(out, "</td>");
}

static void
put_runs(const char *workload, const struct side_view *side, struct buf *out)
{
	const struct profile *profile = side->profile;
	const struct run_field *columns[RUN_COLUMNS_MAX];
	char capitals[RUN_COLUMNS_MAX][HEADING_BYTES];
	struct html_heading headings[RUN_COLUMNS_MAX + 2] = {{"Run", "number sorted up"}};
	size_t ncolumns = run_table_columns(RUN_TABLE_PAGE, columns);
	struct buf label = {0};
	struct buf caption = {0};

	for (size_t k = 0; k < ncolumns; k++) {
		snprintf(capitals[k], sizeof(capitals[k]), "%s",
			run_column_heading(columns[k], profile));
		capitals[k][0] = (char)toupper((unsigned char)capitals[k][0]);
		headings[1 + k] = (struct html_heading){capitals[k], "number"};
	}
	headings[1 + ncolumns] = (struct html_heading){"Too poor", ""};
	buf_printf(&caption, "Runs of %s", side->name);
	buf_printf(&label, "%s, %s", buf_text(&caption), workload);
	html_table_begin(
		out, buf_text(&label), buf_text(&caption), "sortable runs", headings, ncolumns + 2);
	for (size_t i = 0; i < profile->nruns; i++) {
		char why[QUALITY_TEXT_MAX];

		buf_printf(out, "<tr><th scope=\"row\" class=\"number\" data-v=\"%zu\">%zu</th>",
			i + 1, i + 1);
		for (size_t k = 0; k < ncolumns; k++)
			put_cell(columns[k], run_column_value(columns[k], &profile->runs[i]), out);
		quality_of_run(&profile->runs[i], why);
		html_put(out, "<td>%s</td></tr>\n", why);
	}
	html_table_end(out);
	buf_release(&label);
	buf_release(&caption);
}

static void
put_known(const char *text, struct buf *out)
{
	html_put(out, "<td>%s</td>", text[0] ? text : "not known");
}

static void
put_circumstances(const struct workload_view *workload, struct buf *out)
{
	const bool two = workload->before.profile != NULL;
	struct html_heading headings[] = {{"What", "plain"}, {workload->before.heading, "plain"},
		{workload->after.heading, "plain"}, {"Differs", "plain"}};
	struct buf label = {0};

	if (!two)
		headings[1] = headings[2];
	else if (workload->differing[0])
		html_put(out, "<p>The sides differ in: %s.</p>\n", workload->differing);
	else
		buf_puts(out, "<p>Both sides have the same circumstances.</p>\n");
	buf_puts(out, "<details><summary>Circumstances");
	buf_puts(out, two ? " of both sides</summary>\n" : "</summary>\n");
	buf_printf(&label, "Circumstances of %s", workload->name);
	html_table_begin(out, buf_text(&label), "Programs and settings of the runs", "sides",
		headings, two ? 4 : 2);
	buf_release(&label);
	for (size_t i = 0; i < workload->ncircumstances; i++) {
		const struct circumstance *known = &workload->circumstances[i];

		if (!two && !known->after[0])
			continue;
		buf_printf(out, "<tr%s><th scope=\"row\">%s</th>",
			known->differs ? " class=\"differs\"" : "", known->name);
		if (two)
			put_known(known->before, out);
		put_known(known->after, out);
		if (two)
			buf_puts(out, known->differs ? "<td>differs</td>" : "<td></td>");
		buf_puts(out, "</tr>\n");
	}
	html_table_end(out);
	buf_puts(out, "</details>\n");
}

static void
put_counter_cell(const struct counter_kind *kind, double value, struct buf *out)
{
	html_number_begin(out, value);
	counter_put(out, kind, value);
	buf_puts(out, "</td>");
}

/* Latencies, and costs per operation: they spread more than other counters. */
static void
put_counter_dots(
	const struct judgement *judgement, const struct counter_kind *kind, struct buf *out)
{
	static const struct html_dots_size size = {.width_px = 120, .band_px = 15};

	buf_puts(out, "<td>");
	if (kind->of_latency || kind->per_op)
		put_dots_of_counter(judgement, (enum counter_id)(kind - counter_kinds), &size, out);
	buf_puts(out, "</td>");
}

static void
put_counters(const struct workload_view *workload, struct buf *out)
{
	struct counter_row rows[NCOUNTERS];
	const size_t count = counter_rows(workload->judgement, rows);
	const bool two = workload->judgement->compared;
	struct html_heading headings[6] = {{"Counter", "plain"}};
	size_t nheadings = 1;
	struct buf label = {0};
	struct buf caption = {0};

	if (count == 0)
		return;
	if (two)
		headings[nheadings++] = (struct html_heading){workload->before.heading, "number"};
	headings[nheadings++] = (struct html_heading){workload->after.heading, "number"};
	if (two)
		headings[nheadings++] = (struct html_heading){"Change", "number"};
	if (workload->latency[0])
		headings[nheadings++] = (struct html_heading){"Runs", "plain"};
	headings[nheadings++] = (struct html_heading){"Meaning", "plain"};
	buf_puts(out, "<details><summary>Counters</summary>\n");
	buf_printf(&label, "Counters of %s", workload->name);
	/* A workload that passed in a large report has no rows. */
	buf_printf(&caption, "Means of the runs, per %s",
		executions_basis(workload->after.profile ? workload->after.profile
							 : workload->before.profile));
	html_table_begin(
		out, buf_text(&label), buf_text(&caption), "sides counters", headings, nheadings);
	buf_release(&caption);
	buf_release(&label);
	for (size_t i = 0; i < count; i++) {
		buf_printf(out, "<tr%s><th scope=\"row\">%s</th>",
			rows[i].differs ? " class=\"differs\"" : "", rows[i].kind->name);
		if (two)
			put_counter_cell(rows[i].kind, rows[i].before, out);
		put_counter_cell(rows[i].kind, rows[i].after, out);
		if (two) {
			html_number_begin(out, rows[i].change);
			format_change(out, rows[i].change);
			buf_puts(out, "</td>");
		}
		if (workload->latency[0])
			put_counter_dots(workload->judgement, rows[i].kind, out);
		html_put(out, "<td>%s</td></tr>\n", rows[i].kind->help);
	}
	html_table_end(out);
	put_latency(workload->judgement, out);
	if (workload->latency[0])
		html_put(out, "<p>Latency: %s</p>\n", workload->latency);
	buf_puts(out, "</details>\n");
}

void
html_runs(const struct workload_view *workload, struct buf *out)
{
	const struct side_view *sides[] = {&workload->after, &workload->before};

	buf_puts(out, "<h3>Validity</h3>\n");
	for (size_t i = 0; i < 2; i++) {
		const char *sentences[] = {sides[i]->poor, sides[i]->stacks,
			i == 0 ? sides[i]->interpreter : "", i == 0 ? sides[i]->unsteady : "",
			i == 0 ? sides[i]->cpu_choice : "", sides[i]->disturbance};

		for (size_t k = 0; k < sizeof(sentences) / sizeof(sentences[0]); k++) {
			if (sentences[k][0])
				html_put(out, "<p>%s%s.</p>\n", sides[i]->prefix, sentences[k]);
		}
	}
	if (workload->files_note[0])
		html_put(out, "<p>%s.</p>\n", workload->files_note);
	put_circumstances(workload, out);
	put_counters(workload, out);
	buf_puts(out, "<details><summary>Every run</summary>\n");
	for (size_t i = 0; i < 2; i++) {
		if (sides[i]->profile)
			put_runs(workload->name, sides[i], out);
	}
	buf_puts(out, "</details>\n");
}
