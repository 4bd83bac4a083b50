/*
 * The functions of a workload as tables that sort. Most functions of a program cost next to nothing
 * and are not of interest: they are folded away, and their number is shown.
 */
#include "base/escape.h"
#include "base/mem.h"
#include "format/figures.h"
#include "format/place.h"
#include "output/html.h"
#include "profile/counters.h"
#include "profile/weights.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* For the whole program, on either side: a function with less is shown only if it was judged. */
#define LEAST_SHARE 0.005
#define SHOWN_MOST 150
#define REST_MOST 100
#define TERSE_REST_MOST 50 /* of each of many workloads in a page */
#define PLACE_COLUMNS 48
#define NOT_TESTED (-1)
#define CI_COLUMN 6 /* of compared_headings: its text is that of the table */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A table's columns: those of the sides stand only where there are two. */
static const struct html_heading compared_headings[] = {{"Function", ""}, {"Verdict", "sorted"},
	{"Before", "number"}, {"After", "number"}, {"Delta", "number"}, {"Change", "number"},
	{"CI", "number"}, {"p, corrected", "number"}, {"Detectable", "number"},
	{"With callees", "number"}, {"Runs", "plain"}};
static const struct html_heading measured_headings[] = {
	{"Function", ""}, {"Cost", "number sorted"}, {"With callees", "number"}, {"Runs", "plain"}};
static const struct html_heading rest_headings[] = {{"Function", ""}, {"Before", "number"},
	{"After", "number"}, {"Delta", "number"}, {"With callees", "number"}};
static const struct html_heading measured_rest_headings[] = {
	{"Function", ""}, {"Cost", "number"}, {"With callees", "number"}};

/* A row with its sort key. */
struct entry {
	const struct row *row;
	double delta; /* of the mean cost a run; NAN where there is one side */
};

static bool
two_sided(const struct rows *rows)
{
	return rows->nbefore > 0;
}

/* The status, or NOT_TESTED. */
static int
severity(const struct row *row)
{
	return row->is_judged ? (int)row->status : NOT_TESTED;
}

static bool
is_worth_a_look(const struct row *row)
{
	return row->is_judged || rows_larger_share(row->self) >= LEAST_SHARE;
}

/* The severest first, then what changed by most; else as the rows are, by share. */
static int
compare_entries(const void *a, const void *b)
{
	const struct entry *x = a;
	const struct entry *y = b;
	double size_x = isfinite(x->delta) ? fabs(x->delta) : 0;
	double size_y = isfinite(y->delta) ? fabs(y->delta) : 0;

	if (severity(x->row) != severity(y->row))
		return severity(x->row) < severity(y->row) ? 1 : -1;
	if (size_x != size_y)
		return size_x < size_y ? 1 : -1;
	return x->row < y->row ? -1 : 1;
}

static void
put_cost(const struct rows *rows, double cost, double share, struct buf *out)
{
	format_cost_as(out, cost, weights_cost_unit(rows->profile), escape_xml);
	if (isfinite(share)) {
		buf_puts(out, " <small>");
		format_percent(out, share);
		buf_puts(out, "</small>");
	}
	buf_puts(out, "</td>");
}

/* At the machine's speed after; the cell's title has the measured cost. */
static void
put_before_cell(const struct rows *rows, const struct row *row, double share, struct buf *out)
{
	double measured = row->self->before_cost;

	buf_puts(out, "<td class=\"number\"");
	if (measured != row->before_cost && isfinite(measured)) {
		buf_puts(out, " title=\"measured: ");
		format_cost_as(out, measured, weights_cost_unit(rows->profile), escape_xml);
		buf_putc(out, '"');
	}
	buf_puts(out, " data-v=\"");
	if (isfinite(row->before_cost))
		buf_put_short(out, row->before_cost);
	buf_puts(out, "\">");
	put_cost(rows, row->before_cost, share, out);
}

static void
put_delta_cell(const struct rows *rows, double delta, struct buf *out)
{
	html_number_begin(out, delta);
	if (delta > 0)
		buf_putc(out, '+');
	format_cost_as(out, delta, weights_cost_unit(rows->profile), escape_xml);
	buf_puts(out, "</td>");
}

static void
put_ratio_cell(double ratio, struct buf *out)
{
	html_number_begin(out, ratio);
	format_percent(out, ratio);
	buf_puts(out, "</td>");
}

/* Below a function's name: where it is declared, and the functions that were folded into it. */
static void
put_declaration(const struct workload_view *workload, frame_id frame, struct buf *out)
{
	const struct profile *profile = workload->rows.profile;
	const struct frame *f = &profile->frames.frames[frame];
	const char *file = strtab_str(&profile->strings, f->file);
	struct buf place = {0};
	struct buf url = {0};

	place_fit(&place, file, f->line, PLACE_COLUMNS);
	report_put_source_url(workload->report, file, f->line, &url);
	if (place.len > 0) {
		buf_puts(out, "<br/><small>");
		html_place(out, buf_text(&place), buf_text(&url));
		buf_puts(out, "</small>");
	}
	if (f->full) {
		buf_puts(out, "<br/><small>includes ");
		html_name(out, strtab_str(&profile->strings, f->full));
		buf_puts(out, "</small>");
	}
	buf_release(&url);
	buf_release(&place);
}

static void
put_name_cell(const struct workload_view *workload, const struct row *row, struct buf *out)
{
	buf_puts(out, "<tr><th scope=\"row\">");
	html_function(workload, row->frame, row->name, out);
	put_declaration(workload, row->frame, out);
	buf_puts(out, "</th>");
}

static void
put_verdict(const struct row *row, struct buf *out)
{
	buf_printf(out, "<td data-v=\"%d\">", severity(row));
	if (row->finding)
		html_verdict(out, row->finding);
	else if (row->is_judged)
		html_status(out, row->status);
	else
		buf_printf(out, "<small>%s</small>", rows_verdict(row));
	buf_puts(out, "</td>");
}

static void
put_tests(const struct row *row, struct buf *out)
{
	const struct effect *effect = row->self;

	html_number_begin(out, effect->tested ? effect->change : NAN);
	if (effect->tested)
		effect_put_change(effect, out);
	else if (row->novelty)
		buf_puts(out, row->novelty);
	buf_puts(out, "</td>");
	html_number_begin(out, effect->tested ? effect->low : NAN);
	if (effect->tested)
		effect_put_interval(effect, out);
	buf_puts(out, "</td>");
	html_number_begin(out, effect->tested ? effect->p_adjusted : NAN);
	if (effect->tested)
		effect_put_p(effect, out);
	buf_puts(out, "</td>");
	html_number_begin(out, effect->tested ? effect->detectable : NAN);
	if (effect->tested)
		format_percent(out, effect->detectable);
	buf_puts(out, "</td>");
}

/* Whether a table is text from which the page's script makes a table. */
static bool
is_text(const struct workload_view *workload, bool rest)
{
	return workload->is_terse && (rest || workload->status == STATUS_PASS);
}

/* A row of the `rest`, which was not tested, has costs only. */
static void
put_row(const struct workload_view *workload, const struct entry *entry, bool rest, struct buf *out)
{
	const struct rows *rows = &workload->rows;
	static const struct html_dots_size dots = {.width_px = 120, .band_px = 15};
	const struct row *row = entry->row;
	const struct effect *effect = row->self;
	bool two = two_sided(rows);

	put_name_cell(workload, row, out);
	if (two && !rest)
		put_verdict(row, out);
	if (two)
		put_before_cell(rows, row, rest ? NAN : effect->before_share, out);
	html_number_begin(out, effect->after_cost);
	put_cost(rows, effect->after_cost, rest ? NAN : effect->after_share, out);
	if (two)
		put_delta_cell(rows, entry->delta, out);
	if (two && !rest)
		put_tests(row, out);
	put_ratio_cell(row->total->after_share, out);
	if (!rest) {
		buf_puts(out, "<td>");
		if (is_text(workload, rest))
			html_dots_text(rows, row->frame, QUANTITY_SELF, out);
		else
			html_dots(rows, row->frame, QUANTITY_SELF, &dots, out);
		buf_puts(out, "</td>");
	}
	buf_puts(out, "</tr>\n");
}

/* The table of `count` entries, which has some. */
static void
put_table(const struct workload_view *workload, const struct entry *entries, size_t count,
	bool rest, struct buf *out)
{
	const struct rows *rows = &workload->rows;
	bool two = two_sided(rows);
	struct buf label = {0};
	struct buf caption = {0};
	struct html_heading compared[COUNT(compared_headings)];
	struct buf interval = {0};
	struct buf picture = {0};

	memcpy(compared, compared_headings, sizeof(compared));
	format_ci(&interval, 1 - rows->alpha);
	compared[CI_COLUMN].text = buf_text(&interval);
	buf_printf(&label, "%s of %s", rest ? "Other functions" : "Functions", workload->name);
	buf_printf(&picture, "%s%s", workload->files,
		workload->judgement->compared ? "diff.svg" : "flamegraph.svg");
	buf_printf(&caption,
		"Self cost of functions, as means per %s. Dots are single runs, %s Names open the "
		"flame graph.",
		executions_basis(rows->profile),
		two ? "before above after, cheap to the left. Intervals are simultaneous over all "
		      "tests; the upper end of a function below its threshold is the one-sided "
		      "limit by which it passes."
		    : "cheap to the left.");
	const struct html_table table = {
		.label = buf_text(&label),
		.caption = rest ? "Functions that were not tested" : buf_text(&caption),
		.class = two && !rest ? "sortable functions compared" : "sortable functions",
		.headings = !two   ? (rest ? measured_rest_headings : measured_headings)
			    : rest ? rest_headings
				   : compared,
		.nheadings =
			!two   ? (rest ? COUNT(measured_rest_headings) : COUNT(measured_headings))
			: rest ? COUNT(rest_headings)
			       : COUNT(compared_headings),
		.picture = buf_text(&picture),
	};

	const bool text = is_text(workload, rest);
	const size_t start = text ? html_rows_begin(out, &table) : 0;

	if (!text)
		html_table_begin(out, table.label, table.caption, table.class, table.headings,
			table.nheadings);
	for (size_t i = 0; i < count; i++)
		put_row(workload, &entries[i], rest, out);
	if (text)
		html_rows_end(out, start);
	else
		html_table_end(out);
	buf_release(&picture);
	buf_release(&interval);
	buf_release(&caption);
	buf_release(&label);
}

/* "76 more functions of less than 0.5 % each, 1.2 % together: none was tested". */
static void
put_rest_summary(const struct entry *entries, size_t n, const struct rows *rows, struct buf *out)
{
	double together = 0;

	for (size_t i = 0; i < n; i++) {
		const struct effect *effect = entries[i].row->self;

		together += isfinite(effect->after_share) ? effect->after_share : 0;
	}
	buf_puts(out, "<summary>");
	format_plural(out, n, "more function", "more functions");
	buf_puts(out, " of less than ");
	format_percent(out, LEAST_SHARE);
	buf_puts(out, n == 1 ? " of the cost" : " of the cost each, ");
	if (n > 1) {
		format_percent(out, together);
		buf_puts(out, " together");
	}
	buf_puts(out, two_sided(rows) ? ", not tested</summary>\n" : "</summary>\n");
}

static void
put_left_out(size_t n, struct buf *out)
{
	if (n == 0)
		return;
	buf_puts(out, "<p>");
	format_plural(out, n, "more function is", "more functions are");
	buf_puts(out, " not listed here; folded.txt has all stacks.</p>\n");
}

static void
put_rest(const struct workload_view *workload, const struct entry *entries, size_t n,
	struct buf *out)
{
	const struct rows *rows = &workload->rows;
	const size_t most = workload->is_terse ? TERSE_REST_MOST : REST_MOST;
	size_t listed = n < most ? n : most;

	if (n == 0)
		return;
	buf_puts(out, "<details class=\"rest\">");
	put_rest_summary(entries, n, rows, out);
	put_table(workload, entries, listed, true, out);
	put_left_out(n - listed, out);
	buf_puts(out, "</details>\n");
}

void
html_functions(const struct workload_view *workload, struct buf *out)
{
	const struct rows *rows = &workload->rows;
	struct entry *shown = mem_zalloc(rows->nrows, sizeof(*shown));
	struct entry *rest = mem_zalloc(rows->nrows, sizeof(*rest));
	size_t nshown = 0;
	size_t nrest = 0;

	for (size_t i = 0; i < rows->nrows; i++) {
		const struct row *row = &rows->rows[i];
		const struct entry entry = {
			row, two_sided(rows) ? row->self->after_cost - row->before_cost : NAN};

		if (is_worth_a_look(row))
			shown[nshown++] = entry;
		else
			rest[nrest++] = entry;
	}
	size_t listed = nshown < SHOWN_MOST ? nshown : SHOWN_MOST;

	qsort(shown, nshown, sizeof(*shown), compare_entries);
	qsort(rest, nrest, sizeof(*rest), compare_entries);
	if (listed > 0) {
		put_table(workload, shown, listed, false, out);
		put_left_out(nshown - listed, out);
	}
	put_rest(workload, rest, nrest, out);
	free(shown);
	free(rest);
}
