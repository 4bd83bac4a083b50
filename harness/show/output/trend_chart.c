/* The chart of one series: an SVG inside the page. */
#include "base/mem.h"
#include "format/figures.h"
#include "history/noise.h"
#include "output/html.h"
#include "output/trend_report.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* The size of the whole drawing, and of the plot in it. */
#define WIDTH 880
#define HEIGHT 190
#define PLOT_X 84
#define PLOT_Y 22
#define PLOT_WIDTH (WIDTH - PLOT_X - 12)
#define PLOT_HEIGHT 138
/* The plot's own units: days across, thousandths of the range upwards. */
#define UNITS_HIGH 1000.0
#define DAY_S 86400.0
#define DATE_TICKS 5
/* "2026-11-24", and with "T01:10". */
#define DAY_LEN 10
#define TIME_LEN 16
/* At both ends, so that the first and the last dot are whole. */
#define EDGE_DAYS 0.75
#define EDGE_PART 0.02
/* Up to this span the times of day are distinguished, as of windows of a watch. */
#define SHORT_DAYS 2
/* Nights further apart are not joined by a line. */
#define GAP_DAYS 7
/* Days before the last, of longer series: from there on dots and lines, before them bars of a week.
 */
#define LONG_NIGHTS 400
#define LONG_DOT_DAYS 92
#define LONG_LINE_DAYS 366
#define BAR_DAYS 7
/* Around the values, of their span; and the least span of ln(cost). */
#define MARGIN 0.12
#define LEAST_SPAN 0.04

struct plot {
	const struct trend_series *series;
	int64_t first;
	double days;
	double edge; /* days, at both ends */
	bool is_short;
	double low, high; /* ln(cost) at the bottom and at the top */
};

static double
day_of(const struct plot *plot, const struct trend_night *night)
{
	return (double)(night->entry->started - plot->first) / DAY_S + plot->edge;
}

/* Days with as many decimals as the span needs. */
static void
put_days(const struct plot *plot, double days, struct buf *out)
{
	buf_put_fixed(out, days, plot->is_short ? 5 : 2);
}

/* A day, of a short span with the time. */
static void
put_when(const struct plot *plot, int64_t seconds, struct buf *out)
{
	struct buf time = {0};

	format_time(&time, seconds);
	buf_put(out, buf_text(&time), plot->is_short ? TIME_LEN : DAY_LEN);
	buf_release(&time);
}

static double
height_of(const struct plot *plot, double value)
{
	double at = (plot->high - value) / (plot->high - plot->low);

	return UNITS_HIGH * fmin(fmax(at, 0), 1);
}

/* The range without outliers, which are drawn at the edge. */
static void
set_range(struct plot *plot)
{
	size_t n = plot->series->nnights;
	double *values = mem_zalloc(2 * n, sizeof(*values));
	double *bounded = values + n;

	for (size_t i = 0; i < n; i++)
		values[i] = plot->series->nights[i].value;
	noise_bound_outliers(values, n, bounded);
	plot->low = INFINITY;
	plot->high = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		plot->low = fmin(plot->low, bounded[i]);
		plot->high = fmax(plot->high, bounded[i]);
	}
	free(values);
	double middle = (plot->low + plot->high) / 2;
	double half = fmax((plot->high - plot->low) / 2, LEAST_SPAN / 2) * (1 + 2 * MARGIN);

	plot->low = middle - half;
	plot->high = middle + half;
}

/* Draws one path: points after the first are written relative to the one before, which is shorter.
 */
struct pen {
	const struct plot *plot;
	struct buf *out;
	long long day; /* in units of `scale` to a day */
	int height;
	bool drew;
};

static double
scale_of(const struct plot *plot)
{
	return plot->is_short ? 1e5 : 1e2;
}

static void
put_point(struct pen *pen, char command, double day, double value)
{
	const double scale = scale_of(pen->plot);
	const long long at = llround(day * scale);
	const int height = (int)lround(height_of(pen->plot, value));

	buf_printf(pen->out, "%c", pen->drew ? tolower(command) : command);
	buf_put_number(pen->out, (double)(at - pen->day) / scale);
	buf_putc(pen->out, ' ');
	buf_put_number(pen->out, height - pen->height);
	pen->day = at;
	pen->height = height;
	pen->drew = true;
}

/* The bar of a week. */
static void
put_bar(struct pen *pen, double day, double low, double high)
{
	put_point(pen, 'M', day, low);
	const int height = (int)lround(height_of(pen->plot, high));

	buf_printf(pen->out, "v%d", height - pen->height);
	pen->height = height;
}

static void
begin_path(struct buf *out, const char *class, const char *stroke)
{
	buf_printf(out, "<path class=\"%s\" fill=\"none\" stroke=\"%s\" d=\"", class, stroke);
}

static void
end_path(struct buf *out)
{
	buf_puts(out, "\"/>\n");
}

/* The first night of the last `days`. */
static size_t
first_of(const struct trend_series *series, double days)
{
	const int64_t last = series->nights[series->nnights - 1].entry->started;
	size_t i = 0;

	while ((double)(last - series->nights[i].entry->started) > days * DAY_S)
		i++;
	return i;
}

/* Nights [0, to): a bar a week, from its least to its largest value. */
static void
put_weeks(const struct plot *plot, size_t to, struct buf *out)
{
	struct pen pen = {.plot = plot, .out = out};
	const struct trend_night *nights = plot->series->nights;

	begin_path(out, "weeks", "#8a919b");
	for (size_t i = 0, end; i < to; i = end) {
		const double start = day_of(plot, &nights[i]);
		double low = nights[i].value;
		double high = low;

		for (end = i; end < to && day_of(plot, &nights[end]) < start + BAR_DAYS; end++) {
			low = fmin(low, nights[end].value);
			high = fmax(high, nights[end].value);
		}
		put_bar(&pen, start + BAR_DAYS / 2.0, fmin(low, plot->high), fmax(high, plot->low));
	}
	end_path(out);
}

static void
put_line(const struct plot *plot, size_t from, struct buf *out)
{
	const struct trend_series *series = plot->series;
	struct pen pen = {.plot = plot, .out = out};

	begin_path(out, "line", "#8a919b");
	for (size_t i = from; i < series->nnights; i++) {
		double day = day_of(plot, &series->nights[i]);
		bool begins = i == from || day - day_of(plot, &series->nights[i - 1]) > GAP_DAYS;

		put_point(&pen, begins ? 'M' : 'L', day, series->nights[i].value);
	}
	end_path(out);
}

/* Dots of the nights from `from` on that are within the range, or of those beyond it. */
static void
put_dots(const struct plot *plot, size_t from, bool beyond, struct buf *out)
{
	const struct trend_series *series = plot->series;
	struct pen pen = {.plot = plot, .out = out};

	for (size_t i = from; i < series->nnights; i++) {
		const struct trend_night *night = &series->nights[i];

		if ((night->value < plot->low || night->value > plot->high) != beyond)
			continue;
		if (!pen.drew)
			begin_path(
				out, beyond ? "beyond" : "nights", beyond ? "#8a4a00" : "#4a6fa5");
		put_point(&pen, 'M', day_of(plot, night), night->value);
		buf_puts(out, "h0");
	}
	if (pen.drew)
		end_path(out);
}

/* A thin line through the nights, a dot each; those beyond the range are marked. */
static void
put_nights(const struct plot *plot, struct buf *out)
{
	const struct trend_series *series = plot->series;
	const bool is_long = series->nnights > LONG_NIGHTS;
	const size_t line = is_long ? first_of(series, LONG_LINE_DAYS) : 0;

	if (line > 0)
		put_weeks(plot, line, out);
	put_line(plot, line, out);
	put_dots(plot, is_long ? first_of(series, LONG_DOT_DAYS) : 0, false, out);
	put_dots(plot, line, true, out);
}

static const char *
kind_of(const struct change_point *point)
{
	return point->change > 0 ? "worse" : "better";
}

/* Where a change point is with 95 % confidence, shaded, and a line across at its place. */
static void
put_change(const struct plot *plot, const struct change_point *point, struct buf *out)
{
	const struct trend_night *nights = plot->series->nights;
	const double before = day_of(plot, &nights[point->at - 1]);
	const double after = day_of(plot, &nights[point->at]);

	if (point->at_low < point->at_high) {
		const double low = day_of(plot, &nights[point->at_low - 1]);

		buf_puts(out, "<path class=\"place\" fill=\"#8a919b\" fill-opacity=\"0.25\" d=\"M");
		put_days(plot, low, out);
		buf_puts(out, " 0h");
		put_days(plot, day_of(plot, &nights[point->at_high]) - low, out);
		buf_puts(out, "v1000H");
		put_days(plot, low, out);
		buf_puts(out, "z\"/>\n");
	}
	buf_printf(out, "<path class=\"change %s\" fill=\"none\" stroke=\"%s\" d=\"M",
		kind_of(point), point->change > 0 ? "#b3261e" : "#1b6b3a");
	put_days(plot, (before + after) / 2, out);
	buf_puts(out, " 0V1000\"/>\n");
}

/* The level of each part. */
static void
put_levels(const struct plot *plot, struct buf *out)
{
	const struct trend_series *series = plot->series;

	for (size_t i = 0; i < series->nchanges; i++)
		put_change(plot, &series->changes[i], out);
	if (series->nchanges == 0)
		return;
	begin_path(out, "level", "#1a1d21");
	for (size_t i = 0; i <= series->nchanges; i++) {
		struct pen pen = {.plot = plot, .out = out};
		size_t from = i > 0 ? series->changes[i - 1].at : 0;
		size_t to = i < series->nchanges ? series->changes[i].at : series->nnights;
		double level = i < series->nchanges ? series->changes[i].before_level
						    : series->changes[i - 1].after_level;

		put_point(&pen, 'M', day_of(plot, &series->nights[from]), level);
		buf_putc(out, 'H');
		put_days(plot, day_of(plot, &series->nights[to - 1]), out);
	}
	end_path(out);
}

static void
put_axes(const struct plot *plot, struct buf *out)
{
	for (int i = 0; i <= 2; i++) {
		int y = PLOT_Y + PLOT_HEIGHT * i / 2;

		buf_printf(out,
			"<path class=\"grid\" stroke=\"#d4d8de\" d=\"M%d %dh%d\"/><text x=\"%d\" y=\"%d\" text-anchor=\"end\">",
			PLOT_X, y, PLOT_WIDTH, PLOT_X - 8, y + 4);
		trend_put_level(plot->series, plot->high - (plot->high - plot->low) * i / 2, out);
		buf_puts(out, "</text>\n");
	}
	for (int i = 0; i < DATE_TICKS; i++) {
		double part = (double)i / (DATE_TICKS - 1);
		static const char *const anchors[] = {"start", "middle", "end"};

		buf_printf(out,
			"<text class=\"date\" x=\"%.0f\" y=\"%d\" text-anchor=\"%s\" data-part=\"%g\">",
			PLOT_X + PLOT_WIDTH * part, HEIGHT - 8,
			anchors[i == 0                ? 0
				: i == DATE_TICKS - 1 ? 2
						      : 1],
			part);
		put_when(plot, plot->first + (int64_t)((part * plot->days - plot->edge) * DAY_S),
			out);
		buf_puts(out, "</text>\n");
	}
}

/* Above the plot, beside its line; the script moves it with the range. */
static void
put_labels(const struct plot *plot, struct buf *out)
{
	const struct trend_series *series = plot->series;

	for (size_t i = 0; i < series->nchanges; i++) {
		const struct change_point *point = &series->changes[i];
		double day = (day_of(plot, &series->nights[point->at - 1]) +
				     day_of(plot, &series->nights[point->at])) /
			     2;
		double part = day / plot->days;

		buf_printf(
			out, "<text class=\"label %s\" y=\"%d\" x=\"", kind_of(point), PLOT_Y - 7);
		buf_put_fixed(out, PLOT_X + PLOT_WIDTH * part, 0);
		buf_printf(out, "\" text-anchor=\"%s\" data-day=\"",
			part < 0.05   ? "start"
			: part > 0.95 ? "end"
				      : "middle");
		put_days(plot, day, out);
		buf_puts(out, "\">");
		format_estimate(out, point->change, point->low, point->high);
		buf_puts(out, "</text>\n");
	}
}

/* The content of the drawing, as text. */
static void
put_description(const struct trend_series *series, struct buf *out)
{
	const struct trend_night *last = &series->nights[series->nnights - 1];

	format_plural(out, series->nnights, "night", "nights");
	buf_puts(out, " from ");
	trend_put_day(out, series->nights[0].entry->started);
	buf_puts(out, " to ");
	trend_put_day(out, last->entry->started);
	buf_puts(out, ", the last at ");
	trend_put_level(series, last->value, out);
	buf_puts(out, ". ");
	if (series->nchanges == 0)
		buf_puts(out, "No change point.");
	for (size_t i = 0; i < series->nchanges; i++) {
		const struct change_point *point = &series->changes[i];

		trend_put_day(out, series->nights[point->at].entry->started);
		buf_puts(out, ": ");
		format_estimate_words(out, point->change, point->low, point->high, 0.95);
		buf_puts(out, ", from ");
		trend_put_level(series, point->before_level, out);
		buf_puts(out, " to ");
		trend_put_level(series, point->after_level, out);
		buf_puts(out, ". ");
	}
}

void
trend_chart(const struct trend_series *series, int64_t first, int64_t last, const char *id,
	struct buf *out)
{
	const double span = (double)(last - first) / DAY_S;
	const bool is_short = span > 0 && span <= SHORT_DAYS;
	const double edge = is_short ? span * EDGE_PART : EDGE_DAYS;
	struct plot plot = {
		.series = series,
		.first = first,
		.days = span + 2 * edge,
		.edge = edge,
		.is_short = is_short,
	};

	set_range(&plot);
	buf_printf(out,
		"<svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"t-%s d-%s\">"
		"<title id=\"t-%s\">",
		WIDTH, HEIGHT, id, id, id);
	html_put(out, "%s: %s, night by night", series->workload,
		series->function[0] ? series->function : "the whole program");
	buf_printf(out, "</title><desc id=\"d-%s\">", id);
	put_description(series, out);
	buf_puts(out, "</desc>\n");
	put_axes(&plot, out);
	buf_printf(out,
		"<svg class=\"plot\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" viewBox=\"",
		PLOT_X, PLOT_Y, PLOT_WIDTH, PLOT_HEIGHT);
	buf_puts(out, "0 0 ");
	put_days(&plot, plot.days, out);
	buf_puts(out, " 1000\" preserveAspectRatio=\"none\" data-days=\"");
	put_days(&plot, plot.days, out);
	buf_printf(out, "\" data-first=\"%lld\">\n", (long long)(first - (int64_t)(edge * DAY_S)));
	put_nights(&plot, out);
	put_levels(&plot, out);
	buf_puts(out, "</svg>\n");
	put_labels(&plot, out);
	buf_puts(out, "</svg>\n");
}
