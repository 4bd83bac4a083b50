#include "base/escape.h"
#include "output/cause_text.h"
#include "output/headline.h"
#include "output/html.h"
#include "output/html_dots.h"
#include "output/place.h"
#include "output/rows.h"
#include "output/words.h"
#include "profile/disturbance.h"
#include "profile/quality.h"
#include "profile/weights.h"

#include <math.h>
#include <string.h>

#define FUNCTIONS_SHOWN 80
#define FINDINGS_SHOWN 200
#define PLACE_COLUMNS 48
#define CAUSE_COLUMNS 160

/* Open where the finding did not pass: that is what the page was opened for. */
static void
put_causes(const struct judgement *judgement, const struct finding *finding, struct buf *out)
{
	struct cause_lines lines;

	cause_lines_init(
		&lines, &judgement->comparison, finding->frame, finding->causes, CAUSE_COLUMNS);
	if (lines.nlines > 0) {
		buf_printf(out, "<details class=\"causes\"%s><summary>Why</summary><dl>",
			finding->status == STATUS_PASS ? "" : " open");
		for (size_t i = 0; i < lines.nlines; i++) {
			buf_printf(out, "<dt>%s</dt><dd>", lines.lines[i].label);
			html_text(out, lines.lines[i].text);
			buf_puts(out, "</dd>");
		}
		buf_puts(out, "</dl></details>");
	}
	cause_lines_release(&lines);
}

static void
put_finding(const struct judgement *judgement, const struct finding *finding, struct buf *out)
{
	struct buf effect;

	buf_init(&effect);
	words_effect(&effect, &finding->effect);
	buf_puts(out, "<li>");
	html_status(out, finding->status);
	buf_puts(out, " <code>");
	html_name(out, finding->subject);
	buf_puts(out, "</code> <span class=\"effect\">");
	html_text(out, buf_text(&effect));
	buf_puts(out, "</span>");
	if (finding->reason && finding->reason[0]) {
		buf_puts(out, "<p>");
		html_text(out, finding->reason);
		buf_puts(out, "</p>");
	}
	if (finding->source) {
		buf_clear(&effect);
		place_put_path(&effect, finding->source);
		buf_puts(out, "<p class=\"quiet\">at <code>");
		html_text(out, buf_text(&effect));
		buf_puts(out, "</code></p>");
	}
	put_causes(judgement, finding, out);
	buf_puts(out, "</li>\n");
	buf_release(&effect);
}

static void
put_findings(const struct judgement *judgement, struct buf *out)
{
	const struct verdict *verdict = &judgement->verdict;
	size_t passed = 0;
	size_t told = 0;

	buf_puts(out, "<ul class=\"findings\">\n");
	for (size_t i = 0; i < verdict->nfindings; i++) {
		const struct finding *finding = &verdict->findings[i];

		if (!headline_tells(judgement, finding))
			passed += finding->status == STATUS_PASS;
		else if (++told <= FINDINGS_SHOWN)
			put_finding(judgement, finding, out);
	}
	if (passed > 0) {
		buf_puts(out, "<li>");
		html_status(out, STATUS_PASS);
		buf_putc(out, ' ');
		words_plural(out, passed, "other subject", "other subjects");
		buf_puts(out, "</li>\n");
	}
	buf_puts(out, "</ul>\n");
	if (told > FINDINGS_SHOWN)
		buf_printf(out, "<p>and %zu more findings, in verdict.json</p>\n",
			told - FINDINGS_SHOWN);
}

/* A number that sorts by its value and is shown as `put` writes it. */
static void
put_number_cell(struct buf *out, double value, void (*put)(double, struct buf *))
{
	buf_puts(out, "<td class=\"number\" data-v=\"");
	if (isfinite(value))
		buf_put_short(out, value);
	buf_puts(out, "\">");
	put(value, out);
	buf_puts(out, "</td>");
}

static void
put_change_cell(struct buf *out, const struct effect *effect)
{
	buf_puts(out, "<td class=\"number\" data-v=\"");
	if (effect->tested && isfinite(effect->change))
		buf_put_short(out, effect->change);
	buf_puts(out, "\">");
	if (effect->tested)
		effect_put_own_change(effect, out);
	else
		buf_putc(out, '-');
	buf_puts(out, "</td>");
}

static void
put_cost_cell(struct buf *out, const struct rows *rows, double cost, double share)
{
	const char *unit = strtab_str(&rows->profile->strings, rows->profile->cost_unit);

	buf_puts(out, "<td class=\"number\" data-v=\"");
	if (isfinite(share))
		buf_put_short(out, share);
	buf_puts(out, "\">");
	words_cost(out, cost, unit);
	buf_puts(out, " <small>");
	effect_put_ratio(share, out);
	buf_puts(out, "</small></td>");
}

/* Below a function's name: where it is declared, and what was folded into it. */
static void
put_place(const struct profile *profile, frame_id frame, struct buf *out)
{
	const struct frame *f = &profile->frames.frames[frame];
	struct buf place;

	buf_init(&place);
	place_fit(profile, frame, PLACE_COLUMNS, &place);
	if (place.len > 0) {
		buf_puts(out, "<br><small class=\"quiet\">");
		html_text(out, buf_text(&place));
		buf_puts(out, "</small>");
	}
	if (f->full) {
		buf_puts(out, "<br><small class=\"quiet\">includes ");
		html_name(out, strtab_str(&profile->strings, f->full));
		buf_puts(out, "</small>");
	}
	buf_release(&place);
}

static void
put_row(const struct rows *rows, const struct row *row, struct buf *out)
{
	static const struct html_dots_size dots = {.width_px = 120, .band_px = 15};
	const struct effect *effect = &row->self;
	int severity = row->finding ? (int)row->finding->status : effect->tested ? 0 : -1;

	buf_printf(out, "<tr><td data-v=\"%d\">", severity);
	if (severity < 0)
		buf_puts(out, "<span class=\"quiet\">not tested</span>");
	else
		html_status(out, (enum status)severity);
	buf_puts(out, "</td><th scope=\"row\"><code>");
	html_name(out, row->name);
	buf_puts(out, "</code>");
	put_place(rows->profile, row->frame, out);
	buf_puts(out, "</th>");
	put_cost_cell(out, rows, effect->before_cost, effect->before_share);
	put_cost_cell(out, rows, effect->after_cost, effect->after_share);
	put_change_cell(out, effect);
	buf_puts(out, "<td class=\"number\">");
	if (effect->tested)
		words_interval(out, effect->low, effect->high);
	buf_puts(out, "</td>");
	put_number_cell(out, effect->tested ? effect->p_adjusted : NAN, effect_put_p);
	put_number_cell(out, effect->tested ? effect->detectable : NAN, effect_put_ratio);
	put_number_cell(out, row->total.after_share, effect_put_ratio);
	buf_puts(out, "<td>");
	html_dots(rows, row->frame, QUANTITY_SELF, &dots, out);
	buf_puts(out, "</td></tr>\n");
}

static void
put_functions(const struct rows *rows, struct buf *out)
{
	static const char *const headings[] = {"Verdict", "Function (self)", "Before", "After",
		"Change", "95 % interval", "p, corrected", "Could see", "Total share"};
	size_t shown = 0;
	size_t left_out = 0;

	buf_puts(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
		      "aria-label=\"Functions\">"
		      "<table class=\"sortable\"><caption>Functions. Costs are means a run; "
		      "dots are single runs, before above after, cheap to the left."
		      "</caption>\n<thead><tr>");
	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		buf_printf(out, "<th scope=\"col\"%s>%s</th>", i < 2 ? "" : " class=\"number\"",
			headings[i]);
	buf_puts(out, "<th scope=\"col\" class=\"plain\">Runs</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < rows->nrows; i++) {
		const struct row *row = &rows->rows[i];

		if (shown >= FUNCTIONS_SHOWN && !row->finding) {
			left_out++;
			continue;
		}
		put_row(rows, row, out);
		shown++;
	}
	buf_puts(out, "</tbody></table></div>\n");
	if (left_out > 0)
		buf_printf(out, "<p>and %zu more functions, in verdict.json</p>\n", left_out);
}

static void
put_whole(const struct judgement *judgement, const struct rows *rows, struct buf *out)
{
	static const struct html_dots_size size = {
		.width_px = 560, .band_px = 36, .labelled = true};
	struct buf line;

	buf_init(&line);
	if (judgement->compared)
		words_effect(&line, &judgement->comparison.whole);
	buf_puts(out, "<figure class=\"whole\">");
	html_dots(rows, 0, QUANTITY_TOTAL, &size, out);
	buf_puts(out, "<figcaption>Whole program, one dot a run");
	if (line.len > 0) {
		buf_puts(out, ": ");
		html_text(out, buf_text(&line));
	}
	buf_puts(out, ".");
	if (judgement->compared && fabs(rows->before_scale - 1) >= 0.0005) {
		buf_puts(out, " The stable rest of the program costs ");
		effect_put_change(rows->before_scale - 1, out);
		buf_puts(out,
			" against before, by the machine's speed alone; a function's dots before "
			"are drawn at the speed of after.");
	}
	buf_puts(out, "</figcaption></figure>\n");
	buf_release(&line);
}

static void
put_link(const char *folder, const char *file, const char *text, struct buf *out)
{
	buf_puts(out, " <a href=\"");
	escape_xml(out, folder, strlen(folder));
	buf_printf(out, "/%s\">%s</a>", file, text);
}

static void
put_pictures(const struct report_workload *workload, struct buf *out)
{
	const struct judgement *judgement = workload->judgement;
	const char *picture = judgement->compared ? "diff.svg" : "flamegraph.svg";
	const char *what = judgement->compared ? "Differential flame graph" : "Flame graph";

	buf_puts(out, "<figure class=\"picture\"><object type=\"image/svg+xml\" data=\"");
	escape_xml(out, workload->folder, strlen(workload->folder));
	buf_printf(out, "/%s\" aria-label=\"%s\">", picture, what);
	buf_puts(out, "The picture lies beside this page, which was opened without it.</object>");
	buf_printf(out, "<figcaption>%s. On pages of their own:", what);
	if (judgement->compared)
		put_link(workload->folder, "diff.svg", "difference", out);
	put_link(workload->folder, "flamegraph.svg", "this run", out);
	if (judgement->baseline)
		put_link(workload->folder, "baseline.svg", "baseline", out);
	put_link(workload->folder, "folded.txt", "folded stacks", out);
	put_link(workload->folder, "report.txt", "text", out);
	buf_puts(out, "</figcaption></figure>\n");
}

static void
put_count_cell(struct buf *out, double count)
{
	buf_puts(out, "<td class=\"number\">");
	words_count(out, count);
	buf_puts(out, "</td>");
}

static void
put_share_cell(struct buf *out, double share)
{
	buf_puts(out, "<td class=\"number\">");
	if (!isnan(share))
		effect_put_ratio(share, out);
	buf_puts(out, "</td>");
}

/* What `put` knows to tell of all the runs. */
static void
put_sentence_of(const struct profile *profile,
	void (*put)(const struct profile *profile, struct buf *text), struct buf *out)
{
	struct buf text;

	buf_init(&text);
	put(profile, &text);
	if (text.len > 0) {
		buf_puts(out, "<p>");
		html_text(out, buf_text(&text));
		buf_puts(out, ".</p>\n");
	}
	buf_release(&text);
}

static void
put_runs(const struct profile *profile, const char *of, const char *which, struct buf *out)
{
	buf_printf(out,
		"<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Runs %s%s\">",
		of, which);
	buf_printf(out, "<table><caption>Runs %s%s</caption>\n<thead><tr>", of, which);
	buf_printf(out,
		"<th scope=\"col\">Run</th><th scope=\"col\">CPU time</th>"
		"<th scope=\"col\">Wall time</th><th scope=\"col\">%s</th>"
		"<th scope=\"col\">Expected</th><th scope=\"col\">Lost</th>"
		"<th scope=\"col\">Throttled</th><th scope=\"col\">Broken stacks</th>"
		"<th scope=\"col\">Truncated stacks</th>"
		"<th scope=\"col\">Unknown</th><th scope=\"col\">Other processes</th>"
		"<th scope=\"col\">Hypervisor</th></tr></thead><tbody>\n",
		weights_are_counted(profile) ? "Instructions" : "Samples");
	for (size_t i = 0; i < profile->nruns; i++) {
		const struct run *run = &profile->runs[i];
		const uint64_t truncated = quality_truncated(run);
		const struct disturbance disturbance = disturbance_of_run(run);
		const double counts[] = {(double)run->samples, run->expected_samples,
			(double)run->lost, (double)run->throttled,
			(double)(run->broken_stacks - truncated), (double)truncated,
			(double)run->unknown_frames};

		buf_printf(out, "<tr><td class=\"number\">%zu</td><td class=\"number\">", i + 1);
		words_cost(out, (double)run->cpu_ns, "ns");
		buf_puts(out, "</td><td class=\"number\">");
		words_cost(out, (double)run->wall_ns, "ns");
		buf_puts(out, "</td>");
		for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++)
			put_count_cell(out, counts[k]);
		put_share_cell(out, disturbance.others);
		put_share_cell(out, disturbance.steal);
		buf_puts(out, "</tr>\n");
	}
	buf_puts(out, "</tbody></table></div>\n");
	put_sentence_of(profile, quality_put_stacks, out);
	put_sentence_of(profile, disturbance_put, out);
}

static void
put_basis(const struct report_workload *workload, struct buf *out)
{
	const struct judgement *judgement = workload->judgement;
	struct buf line;

	buf_init(&line);
	headline_baseline(judgement, &line);
	buf_puts(out, "<p>");
	html_text(out, judgement->workload->summary ? judgement->workload->summary : "");
	buf_puts(out, "</p><p class=\"quiet\">Held against: ");
	html_text(out, buf_text(&line));
	buf_puts(out, ". Build and set-up ");
	words_duration(out, workload->build_s);
	buf_puts(out, ", measuring ");
	words_duration(out, workload->measure_s);
	buf_puts(out, ", own work ");
	words_duration(out, workload->process_s);
	buf_puts(out, ".</p>\n");
	if (judgement->verdict.limited) {
		buf_puts(out, "<p>Warnings at most: ");
		html_text(out, judgement->verdict.limited);
		buf_puts(out, "</p>\n");
	}
	if (judgement->error) {
		buf_puts(out, "<pre>");
		html_text(out, judgement->error);
		buf_puts(out, "</pre>\n");
	}
	buf_release(&line);
}

void
html_workload(const struct report_workload *workload, struct buf *out)
{
	const struct judgement *judgement = workload->judgement;
	enum status status = headline_status(judgement);
	struct rows rows;

	rows_init(&rows, judgement);
	buf_puts(out, "<details class=\"workload\" id=\"w-");
	html_text(out, judgement->workload->name);
	buf_printf(out, "\"%s><summary><h2>", status == STATUS_PASS ? "" : " open");
	html_status(out, status);
	buf_putc(out, ' ');
	html_text(out, judgement->workload->name);
	buf_puts(out, "</h2></summary>\n");
	put_basis(workload, out);
	put_findings(judgement, out);
	if (rows.nrows > 0) {
		put_whole(judgement, &rows, out);
		put_pictures(workload, out);
		put_functions(&rows, out);
	}
	if (judgement->candidate || judgement->baseline)
		buf_puts(out, "<details><summary>Validity of every run</summary>\n");
	if (judgement->candidate)
		put_runs(judgement->candidate, "under judgement", "", out);
	if (judgement->baseline)
		put_runs(&judgement->baseline->profile, "of ", headline_other_side(judgement), out);
	if (judgement->candidate || judgement->baseline)
		buf_puts(out, "</details>\n");
	buf_puts(out, "</details>\n");
	rows_release(&rows);
}
