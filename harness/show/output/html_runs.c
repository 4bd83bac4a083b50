/*
 * The runs of a workload on the page: notes on their validity, the differences between the two
 * sides, their counters, and a table of every run.
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

#define HEADING_BYTES 40

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
put_runs(const struct workload_view *workload, const struct side_view *side, struct buf *out)
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
	buf_printf(&label, "%s, %s", buf_text(&caption), workload->name);
	const struct html_table table = {buf_text(&label), buf_text(&caption), "sortable runs",
		headings, ncolumns + 2, NULL};
	size_t start = 0;

	if (workload->is_terse)
		start = html_rows_begin(out, &table);
	else
		html_table_begin(
			out, table.label, table.caption, table.class, headings, table.nheadings);
	for (size_t i = 0; i < profile->nruns; i++) {
		char why[QUALITY_TEXT_MAX];

		buf_printf(out, "<tr><th scope=\"row\" class=\"number\" data-v=\"%zu\">%zu</th>",
			i + 1, i + 1);
		for (size_t k = 0; k < ncolumns; k++)
			put_cell(columns[k], run_column_value(columns[k], &profile->runs[i]), out);
		quality_of_run(&profile->runs[i], why);
		html_put(out, "<td>%s</td></tr>\n", why);
	}
	if (workload->is_terse)
		html_rows_end(out, start);
	else
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
		html_counter_dots(judgement, (enum counter_id)(kind - counter_kinds), &size, out);
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
	html_latency(workload->judgement, out);
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
			put_runs(workload, sides[i], out);
	}
	buf_puts(out, "</details>\n");
}
