/*
 * The section of one workload: what was found in the open, what it was found from folded away
 * where the workload passed.
 */
#include "base/escape.h"
#include "flamegraph/flamegraph.h"
#include "format/figures.h"
#include "format/place.h"
#include "output/cause_text.h"
#include "output/headline.h"
#include "output/html.h"
#include "output/html_dots.h"

#include <math.h>
#include <string.h>

#define FINDINGS_SHOWN 200
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
			finding->status == STATUS_PASS ? "" : " open=\"\"");
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
	effect_describe(&finding->effect, &effect);
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

	if (verdict->nfindings == 0 || (judgement->input.error && verdict->nfindings == 1))
		return;
	buf_puts(out, "<h3>Findings</h3>\n<ul class=\"findings\">\n");
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
		format_plural(out, passed, told > 0 ? "other subject" : "subject",
			told > 0 ? "other subjects" : "subjects");
		buf_puts(out, "</li>\n");
	}
	buf_puts(out, "</ul>\n");
	if (told > FINDINGS_SHOWN)
		buf_printf(out, "<p>and %zu more findings, in verdict.json</p>\n",
			told - FINDINGS_SHOWN);
}

static void
put_whole(const struct judgement *judgement, const struct rows *rows, struct buf *out)
{
	static const struct html_dots_size size = {
		.width_px = 360, .band_px = 36, .labelled = true};
	struct buf line;

	buf_init(&line);
	if (judgement->compared)
		effect_describe(&judgement->comparison.whole, &line);
	buf_puts(out, "<figure class=\"whole\"><div class=\"scroll\">");
	html_dots(rows, 0, QUANTITY_TOTAL, &size, out);
	buf_puts(out, "</div><figcaption>Whole program, one dot a run");
	if (line.len > 0) {
		buf_puts(out, ": ");
		html_text(out, buf_text(&line));
	}
	buf_puts(out, ".");
	if (judgement->compared && fabs(rows->before_scale - 1) >= 0.0005) {
		buf_puts(out, " The stable rest of the program costs ");
		format_change(out, rows->before_scale - 1);
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

/*
 * The picture itself, so that the page shows it wherever it was taken to. On its own page there are
 * more of the small frames.
 */
static void
put_pictures(const struct report_workload *workload, size_t max_frames, struct buf *out)
{
	const struct judgement *judgement = workload->judgement;
	const struct flamegraph_options options = {.embedded = true, .max_frames = max_frames};

	buf_puts(out, "<h3>Flame graph</h3>\n<figure class=\"picture\"><div class=\"scroll\" "
		      "tabindex=\"0\" role=\"region\" aria-label=\"Flame graph of ");
	html_text(out, judgement->input.workload->name);
	buf_puts(out, "\">\n");
	if (judgement->compared)
		flamegraph_write_diff(&judgement->comparison, &options, out);
	else
		flamegraph_write(judgement->input.candidate, 0, judgement->input.candidate->nruns,
			&options, out);
	buf_puts(out, "</div><figcaption>In full, beside this page:");
	if (judgement->compared)
		put_link(workload->folder, "diff.svg", "difference", out);
	put_link(workload->folder, "flamegraph.svg", "this run", out);
	if (judgement->input.before)
		put_link(workload->folder, "baseline.svg",
			headline_other_side(judgement) + strlen("the "), out);
	put_link(workload->folder, "folded.txt", "folded stacks", out);
	put_link(workload->folder, "report.txt", "text", out);
	buf_puts(out, "</figcaption></figure>\n");
}

static void
put_heading(const struct judgement *judgement, struct buf *out)
{
	const char *name = judgement->input.workload->name;

	buf_printf(out, "<section class=\"workload %s\" id=\"w-",
		status_name(headline_status(judgement)));
	html_text(out, name);
	buf_puts(out, "\" aria-labelledby=\"h-w-");
	html_text(out, name);
	buf_puts(out, "\"><h2 id=\"h-w-");
	html_text(out, name);
	buf_puts(out, "\">");
	html_status(out, headline_status(judgement));
	buf_putc(out, ' ');
	html_text(out, name);
	buf_puts(out, "</h2>\n");
}

static void
put_basis(const struct report_workload *workload, struct buf *out)
{
	const struct judgement *judgement = workload->judgement;
	struct buf line;

	buf_init(&line);
	headline_baseline(judgement, &line);
	if (judgement->input.workload->summary && judgement->input.workload->summary[0]) {
		buf_puts(out, "<p>");
		html_text(out, judgement->input.workload->summary);
		buf_puts(out, "</p>\n");
	}
	buf_puts(out, "<p class=\"quiet\">Held against: ");
	html_text(out, buf_text(&line));
	if (workload->measure_s > 0) {
		buf_puts(out, ". Build and set-up ");
		format_duration(out, workload->build_s);
		buf_puts(out, ", measuring ");
		format_duration(out, workload->measure_s);
		buf_puts(out, ", own work ");
		format_duration(out, workload->process_s);
	}
	if (!judgement->input.error) {
		buf_clear(&line);
		headline_power(&judgement->verdict, &line);
		buf_puts(out, ". ");
		html_text(out, buf_text(&line));
	}
	buf_puts(out, ".</p>\n");
	if (judgement->verdict.limited) {
		buf_puts(out, "<p>Warnings at most: ");
		html_text(out, judgement->verdict.limited);
		buf_puts(out, ".</p>\n");
	}
	if (judgement->input.error) {
		buf_puts(out, "<pre>");
		html_text(out, judgement->input.error);
		buf_puts(out, "</pre>\n");
	}
	buf_release(&line);
}

/* Only what did not pass is to be run again by itself. */
static void
put_how(const struct report *report, const struct judgement *judgement, struct buf *out)
{
	/* Profiles that were captured elsewhere have no file that names them. */
	if (headline_status(judgement) == STATUS_PASS || judgement->input.workload->path[0] == '\0')
		return;
	buf_puts(out, "<h3>To reproduce</h3>\n");
	html_command(out, report->command_options, judgement->input.workload->path);
}

static void
put_evidence(const struct report_workload *workload, size_t max_frames, struct buf *out)
{
	const struct judgement *judgement = workload->judgement;
	struct rows rows;

	rows_init(&rows, judgement);
	if (rows.nrows > 0) {
		buf_puts(out, "<h3>Runs</h3>\n");
		put_whole(judgement, &rows, out);
		buf_puts(out, "<h3>Functions</h3>\n");
		html_functions(judgement->input.workload->name, &rows, out);
		put_pictures(workload, max_frames, out);
	}
	rows_release(&rows);
}

void
html_workload(const struct report *report, const struct report_workload *workload,
	size_t max_frames, struct buf *out)
{
	const struct judgement *judgement = workload->judgement;
	bool passed = headline_status(judgement) == STATUS_PASS;

	put_heading(judgement, out);
	put_basis(workload, out);
	put_findings(judgement, out);
	put_how(report, judgement, out);
	if (judgement->input.candidate || judgement->input.before) {
		buf_printf(out,
			"<details%s><summary>Runs, functions, flame graph, validity"
			"</summary>\n",
			passed ? "" : " open=\"\"");
		put_evidence(workload, max_frames, out);
		html_validity(report, judgement, out);
		buf_puts(out, "</details>\n");
	}
	buf_puts(out, "</section>\n");
}
