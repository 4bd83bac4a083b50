/* The source lines and instructions of a function with a finding, folded away behind it. */
#include "output/html.h"

#include "base/escape.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "profile/weights.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A line with so much of the largest growth or weight of a line is marked. */
#define MARKED 0.5

static void
put_line_cell(const char *unit, double value, bool is_known, struct buf *out)
{
	buf_puts(out, "<td class=\"number\">");
	if (is_known)
		annotation_put_cell(unit, value, out);
	buf_puts(out, "</td>");
}

static void
put_line_numbers(
	const struct report_lines *lines, const struct annotation_entry *entry, struct buf *out)
{
	const bool is_line = entry->kind == ANNOTATION_LINE;

	if (!lines->pairs) {
		put_line_cell(lines->unit, entry->self[0], entry->self[0] > 0, out);
		put_line_cell(lines->unit, entry->total[0], entry->total[0] > 0, out);
		return;
	}
	for (size_t side = 0; side < 2; side++)
		put_line_cell(lines->unit, entry->self[side], entry->self[side] > 0, out);
	buf_puts(out, "<td class=\"number\">");
	if (is_line && (entry->self[0] > 0 || entry->self[1] > 0))
		annotation_put_difference(lines->unit, entry->self[1] - entry->self[0], out);
	buf_puts(out, "</td><td class=\"number\">");
	if (is_line && (entry->total[0] > 0 || entry->total[1] > 0))
		annotation_put_difference(lines->unit, entry->total[1] - entry->total[0], out);
	buf_puts(out, "</td>");
}

/* The value that a line is marked for: its growth, or where there is one side, its weight. */
static double
line_mark(const struct report_lines *lines, const struct annotation_entry *entry)
{
	return lines->pairs ? entry->self[1] - entry->self[0] : entry->self[0];
}

static double
largest_line_mark(const struct report_lines *lines)
{
	double largest = 0;

	for (size_t i = 0; i < lines->nentries; i++)
		if (lines->entries[i].kind == ANNOTATION_LINE &&
			line_mark(lines, &lines->entries[i]) > largest)
			largest = line_mark(lines, &lines->entries[i]);
	return largest;
}

static void
put_line(const struct report_lines *lines, const struct annotation_entry *entry, double largest,
	struct buf *out)
{
	const unsigned numbers = lines->pairs ? 4 : 2;
	const bool is_marked = largest > 0 && line_mark(lines, entry) >= largest * MARKED;

	switch (entry->kind) {
	case ANNOTATION_FILE:
		buf_printf(out, "<tr class=\"file\"><td colspan=\"%u\">", numbers + 2);
		html_put(out, "%s%s</td></tr>\n",
			entry->text[0] ? entry->text : "(no source file is known)",
			entry->text[0] && !entry->found ? " (source not found)" : "");
		break;
	case ANNOTATION_GAP:
		buf_printf(
			out, "<tr class=\"gap\"><td colspan=\"%u\">...</td></tr>\n", numbers + 2);
		break;
	case ANNOTATION_LINE:
		buf_puts(out, is_marked ? "<tr class=\"marked\">" : "<tr>");
		put_line_numbers(lines, entry, out);
		buf_puts(out, "<td class=\"number quiet\">");
		if (entry->number > 0)
			buf_printf(out, "%" PRIu64, entry->number);
		html_put(out, "</td><td><code>%s</code></td></tr>\n",
			entry->number > 0 ? entry->text : "(no line is known)");
		break;
	case ANNOTATION_INSTRUCTION:
		buf_puts(out, "<tr class=\"instruction\">");
		put_line_numbers(lines, entry, out);
		buf_printf(out, "<td class=\"number\">%" PRIx64, entry->number);
		html_put(out, "</td><td><code>%s</code></td></tr>\n", entry->text);
		break;
	case ANNOTATION_KINDS:
		break;
	}
}

/* The cost of the lines beyond those shown: all lines together cost what the function does. */
static void
put_lines_left_out(const struct workload_view *workload, const struct finding *finding,
	const struct report_lines *lines, struct buf *out)
{
	const struct judgement *judgement = workload->judgement;
	double rest[2];

	if (lines->left_out == 0)
		return;
	buf_puts(out, "; ");
	format_plural(
		out, lines->left_out, "line with less is left out", "lines with less are left out");
	if (!lines->pairs || !lines->unit || !judgement->compared)
		return;
	rows_self_costs(&judgement->comparison, &judgement->verdict, finding->frame, rest);
	for (size_t i = 0; i < lines->nentries; i++)
		for (size_t side = 0; side < 2; side++)
			if (lines->entries[i].kind == ANNOTATION_LINE)
				rest[side] -= lines->entries[i].self[side];
	buf_puts(out, ", together ");
	annotation_put_difference(lines->unit, rest[1] - rest[0], out);
}

void
html_lines(const struct workload_view *workload, const struct finding *finding, struct buf *out)
{
	static const struct html_heading one[] = {
		{"Self", "number"}, {"Total", "number"}, {"Line", "number"}, {"Source", "plain"}};
	static const struct html_heading two[] = {{"Before", "number"}, {"After", "number"},
		{"Change", "number"}, {"With calls", "number"}, {"Line", "number"},
		{"Source", "plain"}};
	const struct report_lines *lines = report_lines_of(workload, finding);

	if (!lines || lines->nentries == 0)
		return;
	const double largest = largest_line_mark(lines);
	struct buf caption = {0};
	struct buf label = {0};

	buf_puts(&caption, lines->unit ? "Cost" : "Share");
	buf_puts(&caption, lines->unit ? " per " : " of the program");
	buf_puts(&caption, lines->unit ? executions_basis(workload->rows.profile) : "");
	buf_puts(&caption, lines->pairs ? " by itself, before and after" : "");
	put_lines_left_out(workload, finding, lines, &caption);
	buf_printf(out, "<details class=\"lines\"%s><summary>Source lines</summary>",
		finding->status == STATUS_FAIL ? " open=\"\"" : "");
	buf_puts(&label, "Source lines of ");
	buf_puts(&label, finding->subject);
	buf_printf(&label, " (%s), %s", quantity_name(finding->of), workload->name);
	html_table_begin(out, buf_text(&label), buf_text(&caption), "lines",
		lines->pairs ? two : one, lines->pairs ? 6 : 4);
	for (size_t i = 0; i < lines->nentries; i++)
		put_line(lines, &lines->entries[i], largest, out);
	html_table_end(out);
	buf_puts(out, "</details>");
	buf_release(&label);
	buf_release(&caption);
}
