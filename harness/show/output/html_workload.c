/*
 * The section of one workload: its findings, and the data behind them, which is folded away if the
 * workload passed.
 */
#include "flamegraph/flamegraph.h"
#include "format/figures.h"
#include "output/cause_text.h"
#include "output/html.h"

#include <math.h>
#include <stdlib.h>
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
		for (size_t i = 0; i < lines.nlines; i++)
			html_put(out, "<dt>%s</dt><dd>%s</dd>", lines.lines[i].label,
				lines.lines[i].text);
		buf_puts(out, "</dl></details>");
	}
	cause_lines_release(&lines);
}

/* A link to the picture for functions and for anything else that was compared. */
static void
put_subject(const struct workload_view *workload, const struct finding_view *view, struct buf *out)
{
	const struct finding *finding = view->finding;

	if (finding->frame == 0 && finding->named) {
		html_pattern(workload, finding->named, view->subject, out);
		return;
	}
	if (finding->frame != 0 || finding->effect.tested) {
		html_function(workload, finding->frame, view->subject, out);
		return;
	}
	buf_puts(out, "<code>");
	html_name(out, view->subject);
	buf_puts(out, "</code>");
}

static void
put_statement(
	const struct workload_view *workload, const struct finding_view *view, struct buf *out)
{
	html_verdict(out, view->finding);
	buf_putc(out, ' ');
	put_subject(workload, view, out);
	html_put(out, "%s<span class=\"effect\" title=\"%s\">%s</span>", view->link, view->power,
		view->effect);
	if (view->where[0]) {
		buf_puts(out, "<p class=\"quiet\">");
		html_place(out, view->place, view->url);
		html_put(out, "%s</p>", view->where + strlen(view->place));
	}
	if (view->reason[0])
		html_put(out, "<p>%s</p>", view->reason);
}

/* The statement of the first one is ahead of the picture. */
static void
put_finding(const struct workload_view *workload, const struct finding_view *view, bool is_lead,
	struct buf *out)
{
	buf_puts(out, "<li>");
	if (is_lead)
		put_subject(workload, view, out);
	else
		put_statement(workload, view, out);
	put_causes(workload->judgement, view->finding, out);
	html_lines(workload, view->finding, out);
	buf_puts(out, "</li>\n");
}

/* The first finding, where it did not pass and a picture shows it; NULL: there is none. */
static const struct finding_view *
lead_of(const struct workload_view *workload)
{
	return workload->first && workload->judgement->compared && workload->rows.nrows > 0 &&
			       workload->status != STATUS_PASS && !workload->error[0]
		       ? workload->first
		       : NULL;
}

static void
put_findings(const struct workload_view *workload, const struct finding_view *lead, struct buf *out)
{
	size_t shown = 0;

	if (workload->nfindings == 0 || (workload->error[0] && workload->nfindings == 1))
		return;
	buf_puts(out, "<h3>Findings</h3>\n<ul class=\"findings\">\n");
	for (size_t i = 0; i < workload->nfindings && shown < FINDINGS_SHOWN; i++) {
		if (!workload->findings[i].is_listed)
			continue;
		put_finding(workload, &workload->findings[i], &workload->findings[i] == lead, out);
		shown++;
	}
	if (workload->npassed > 0) {
		buf_puts(out, "<li>");
		html_status(out, STATUS_PASS);
		buf_putc(out, ' ');
		format_plural(out, workload->npassed, "function", "functions");
		buf_puts(out, "</li>\n");
	}
	buf_puts(out, "</ul>\n");
	if (workload->nlisted > shown)
		buf_printf(out, "<p>and %zu more findings, in verdict.json</p>\n",
			workload->nlisted - shown);
}

static void
put_whole(const struct workload_view *workload, struct buf *out)
{
	static const struct html_dots_size size = {
		.width_px = 360, .band_px = 36, .labelled = true};
	const struct judgement *judgement = workload->judgement;
	const struct rows *rows = &workload->rows;
	struct buf line = {0};

	if (judgement->compared)
		effect_describe(&judgement->comparison.whole, &line);
	buf_puts(out, "<figure class=\"whole\"><div class=\"scroll\">");
	html_dots(rows, 0, QUANTITY_TOTAL, &size, out);
	html_put(out, "</div><figcaption>Whole program, one dot a run%s%s.",
		line.len > 0 ? ": " : "", buf_text(&line));
	if (judgement->compared && fabs(judgement->comparison.model.machine_speed - 1) >= 0.0005) {
		buf_puts(out, " The stable rest of the program changed by ");
		format_change(out, judgement->comparison.model.machine_speed - 1);
		buf_puts(out,
			": the speed of the machine. Costs before are shown at the speed of after.");
	}
	buf_puts(out, "</figcaption></figure>\n");
	buf_release(&line);
}

/*
 * The picture is inside the page, so that a copied page shows it, zoomed to the first finding. On a
 * workload's own page it has more of the small frames.
 */
static void
put_pictures(const struct workload_view *workload, const struct finding_view *lead,
	size_t max_frames, struct buf *out)
{
	const struct judgement *judgement = workload->judgement;
	const struct profile *candidate = workload->after.profile;
	const struct flamegraph_options options = {.embedded = true, .max_frames = max_frames};
	const char *const links[][2] = {
		{"diff.svg", judgement->compared ? "difference" : NULL},
		{"flamegraph.svg", "this run"},
		{"baseline.svg", workload->before.profile ? workload->before.heading : NULL},
		{"folded.txt", "folded stacks"},
		{"report.txt", "text"},
	};

	html_put(out,
		"<h3>Flame graph</h3>\n<figure class=\"picture\"><div class=\"scroll\" "
		"tabindex=\"0\" role=\"region\" aria-label=\"Flame graph of %s\">\n",
		workload->name);
	if (judgement->compared) {
		bool *judged = rows_judged(&workload->rows);
		struct flamegraph_options outlined = options;

		outlined.judged = judged;
		outlined.zoom = lead ? lead->finding->frame : 0;
		flamegraph_write_diff(&judgement->comparison, &outlined, out);
		free(judged);
	} else if (candidate)
		flamegraph_write(candidate, &options, out);
	buf_puts(out, "</div><figcaption>In full, beside this page:");
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		if (links[i][1])
			html_put(out, " <a href=\"%s%s\">%s</a>", workload->files, links[i][0],
				links[i][1]);
	}
	buf_puts(out, "</figcaption></figure>\n");
}

static void
put_heading(const struct workload_view *workload, struct buf *out)
{
	const char *name = workload->name;

	html_put(out,
		"<section class=\"workload %s\" id=\"w-%s\" aria-labelledby=\"h-w-%s\">"
		"<h2 id=\"h-w-%s\">",
		status_name(workload->status), name, name, name);
	html_status(out, workload->status);
	html_put(out, " %s</h2>\n", name);
}

static void
put_basis(const struct workload_view *workload, struct buf *out)
{
	const char *summary = workload->judgement->input.workload->summary;

	if (summary && summary[0])
		html_put(out, "<p>%s</p>\n", summary);
	html_put(out, "<p class=\"quiet\">%s%s",
		strcmp(workload->basis, "not judged") == 0 ? "" : "Compared with: ",
		workload->basis);
	if (workload->workload->measure_s > 0) {
		buf_puts(out, ". Build and set-up ");
		format_duration(out, workload->workload->build_s);
		buf_puts(out, ", measuring ");
		format_duration(out, workload->workload->measure_s);
		buf_puts(out, ", own work ");
		format_duration(out, workload->workload->process_s);
	}
	if (!workload->error[0])
		html_put(out, ". %s", workload->power);
	buf_puts(out, ".</p>\n");
	if (workload->limited[0])
		html_put(out, "<p>Only warnings: %s.</p>\n", workload->limited);
	if (workload->error[0])
		html_put(out, "<pre>%s</pre>\n", workload->error);
	for (size_t i = 0; i < 2; i++) {
		const char *file = workload->workload->build_outputs[i];

		if (file)
			html_put(out,
				"<p>Output of the build%s, which failed or warned: <a "
				"href=\"%s%s\">%s</a></p>\n",
				i > 0 ? " of the base" : "", workload->files, file, file);
	}
}

static void
put_evidence(const struct workload_view *workload, const struct finding_view *lead,
	size_t max_frames, struct buf *out)
{
	buf_printf(out, "<details%s><summary>%s</summary>\n",
		workload->status == STATUS_PASS ? "" : " open=\"\"",
		workload->is_brief ? "Validity"
		: lead             ? "Functions, runs, validity"
				   : "Functions, runs, flame graph, validity");
	if (workload->rows.nrows > 0) {
		buf_puts(out, "<h3>Functions</h3>\n");
		html_functions(workload, out);
		buf_puts(out, "<h3>Runs</h3>\n");
		put_whole(workload, out);
		if (!lead)
			put_pictures(workload, NULL, max_frames, out);
	}
	html_validity(workload, out);
	buf_puts(out, "</details>\n");
}

void
html_workload(const struct report_view *view, const struct workload_view *workload,
	size_t max_frames, struct buf *out)
{
	const struct finding_view *lead = lead_of(workload);

	put_heading(workload, out);
	if (lead) {
		buf_puts(out, "<ul class=\"findings\">\n<li>");
		put_statement(workload, lead, out);
		buf_puts(out, "</li>\n</ul>\n");
		put_pictures(workload, lead, max_frames, out);
	}
	put_findings(workload, lead, out);
	put_basis(workload, out);
	if (workload->rerun[0]) {
		buf_puts(out, "<h3>To reproduce</h3>\n");
		html_command(out, view->report->command_options, workload->rerun);
	}
	if (workload->after.profile || workload->before.profile)
		put_evidence(workload, lead, max_frames, out);
	if (workload->is_brief)
		html_put(out,
			"<p>It passed in a large report: <a href=\"%sreport.txt\">report.txt</a> "
			"has its hotspots, and <code>profile_run replay</code> of <a "
			"href=\"%sreplay.bin\">replay.bin</a> makes its functions and flame "
			"graphs.</p>\n",
			workload->files, workload->files);
	buf_puts(out, "</section>\n");
}
