/*
 * index.html: the whole report as one page that opens from a disk, a CI server or an e-mail. Style,
 * script and pictures are inside, and the page's own policy allows no others. Each workload has a
 * section: its findings, and the data behind them, which is folded away if the workload passed.
 */
#include "base/escape.h"
#include "base/mem.h"
#include "flamegraph/flamegraph.h"
#include "format/figures.h"
#include "output/cause_text.h"
#include "output/html.h"
#include "output/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FINDINGS_SHOWN 200
#define CAUSE_COLUMNS 160
/* Boxes of all pictures together, and of each: about 130 bytes are one. */
#define PICTURES_FRAMES 8000
#define PICTURE_MOST_FRAMES 2000
#define PICTURE_LEAST_FRAMES 150

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
		html_pattern(workload, finding->named, view->name, out);
		return;
	}
	if (finding->frame != 0 || finding->effect.tested) {
		html_function(workload, finding->frame, view->name, out);
		return;
	}
	buf_puts(out, "<code>");
	html_name(out, view->name);
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
	if (view->owners[0])
		html_put(out, "<p class=\"quiet\">owned by %s</p>", view->owners);
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

static void
put_heading(const struct workload_view *workload, struct buf *out)
{
	const char *name = workload->name;
	const char *id = workload->workload->folder;

	html_put(out,
		"<section class=\"workload %s\" id=\"w-%s\" aria-labelledby=\"h-w-%s\">"
		"<h2 id=\"h-w-%s\">",
		status_name(workload->status), id, id, id);
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
	struct html_pictures *pictures, struct buf *out)
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
			html_picture(workload, 0, pictures, out);
	}
	html_runs(workload, out);
	buf_puts(out, "</details>\n");
}

/*
 * The section of one workload: findings, picture, functions, runs. */
static void
put_section(const struct report_view *view, const struct workload_view *workload,
	struct html_pictures *pictures, struct buf *out)
{
	const struct finding_view *lead = lead_of(workload);

	put_heading(workload, out);
	if (lead) {
		buf_puts(out, "<ul class=\"findings\">\n<li>");
		put_statement(workload, lead, out);
		buf_puts(out, "</li>\n</ul>\n");
		html_picture(workload, lead->finding->frame, pictures, out);
	}
	put_findings(workload, lead, out);
	put_basis(workload, out);
	if (workload->rerun[0]) {
		buf_puts(out, "<h3>To reproduce</h3>\n");
		html_command(out, view->report->command_options, workload->rerun);
	}
	if (workload->after.profile || workload->before.profile)
		put_evidence(workload, lead, pictures, out);
	if (workload->is_brief)
		html_put(out,
			"<p>It passed in a large report: <a href=\"%sreport.txt\">report.txt</a> "
			"has its hotspots, and <code>profile_run replay</code> of <a "
			"href=\"%sreplay.bin\">replay.bin</a> makes its functions and flame "
			"graphs.</p>\n",
			workload->files, workload->files);
	buf_puts(out, "</section>\n");
}

static void
put_offered(const struct report_view *view, struct buf *out)
{
	for (size_t i = 0; i < VIEW_COMMANDS; i++) {
		const struct view_command *command = &view->commands[i];

		if (!command->command[0])
			continue;
		html_put(out, "<p>%s%s%s%s:</p>\n", command->label, command->note[0] ? " (" : "",
			command->note, command->note[0] ? ")" : "");
		html_command(out, command->command, "");
	}
}

/* A separate page, with the style and script of pictures if it has some; `put` writes its body. */
static void
put_page(enum status status, const char *title, bool has_pictures,
	void (*put)(const struct report_view *, const struct workload_view *,
		struct html_pictures *, struct buf *),
	const struct report_view *view, const struct workload_view *workload, struct buf *out)
{
	const char *const styles[] = {output_page_css,
		has_pictures ? flamegraph_page_part(FLAMEGRAPH_STYLE) : NULL, NULL};
	const char *const scripts[] = {output_page_js,
		has_pictures ? flamegraph_page_part(FLAMEGRAPH_SCRIPT) : NULL, NULL};
	struct html_pictures pictures = {.max_frames = PICTURE_MOST_FRAMES};
	struct buf whole = {0};

	flamegraph_page_init(&pictures.page);
	buf_printf(&whole, "%s: %s - profile_run", status_word(status), title);
	html_head(buf_text(&whole), styles, scripts, out);
	buf_puts(out, "<body>\n<a class=\"skip\" href=\"#main\">Skip to the results</a>\n");
	put(view, workload, &pictures, out);
	if (has_pictures)
		flamegraph_page_put(&pictures.page, out);
	flamegraph_page_release(&pictures.page);
	html_scripts(scripts, out);
	buf_puts(out, "</body>\n</html>\n");
	buf_release(&whole);
}

static void
put_verdict(const struct report_view *view, struct buf *out)
{
	const struct report *report = view->report;

	html_put(out, "<header class=\"%s\">\n<h1>", status_name(report->status));
	html_status(out, report->status);
	html_put(out, " <span>%s</span></h1>\n", view->headline);
	if (view->other_machines[0])
		html_put(out, "<p>%s</p>\n", view->other_machines);
	/* Else the first workload's section begins with it, and has the command. */
	if (view->is_large && view->answer[0])
		html_put(out, "<p class=\"answer\">%s</p>\n", view->answer);
	if (view->is_large)
		put_offered(view, out);
	html_put(out, "<p>profile_run %s, <time>", report->tool_version);
	format_time(out, report->started);
	buf_puts(out, "</time>, took ");
	format_duration(out, report->duration_s);
	if (report->commit && report->commit[0])
		html_put(out, ", commit <code>%s</code>", report->commit);
	if (view->base[0])
		html_put(out, ", against %s", view->base);
	buf_printf(out, ", exit code %d</p>\n</header>\n", report->exit_code);
	buf_puts(out, "<nav aria-label=\"This page\"><ul><li><a href=\"#workloads\">Workloads</a>"
		      "</li><li><a href=\"#reproduce\">To reproduce</a></li><li>"
		      "<a href=\"#environment\">Environment</a></li><li><a href=\"#files\">Files"
		      "</a></li></ul></nav>\n");
}

/* The severest first; among those as the report has them. */
static const struct workload_view **
order_workloads(const struct report_view *view)
{
	const struct workload_view **order =
		mem_zalloc(view->nworkloads, sizeof(const struct workload_view *));
	size_t n = 0;

	for (int severity = report_severity(STATUS_FAIL); severity >= 0; severity--) {
		for (size_t i = 0; i < view->nworkloads; i++) {
			if (report_severity(view->workloads[i].status) == severity)
				order[n++] = &view->workloads[i];
		}
	}
	return order;
}

static void
put_overview_row(
	const struct report_view *view, const struct workload_view *workload, struct buf *out)
{
	if (view->is_large)
		html_put(out, "<tr><th scope=\"row\"><a href=\"%s/index.html\">%s</a></th>",
			workload->workload->folder, workload->name);
	else
		html_put(out, "<tr><th scope=\"row\"><a href=\"#w-%s\">%s</a></th>",
			workload->workload->folder, workload->name);
	buf_printf(out, "<td data-v=\"%d\">", report_severity(workload->status));
	html_status(out, workload->status);
	buf_puts(out, "</td>");
	html_number_begin(out, workload->whole ? workload->whole->change : NAN);
	if (workload->whole) {
		bool is_known = effect_excludes_none(workload->whole);

		buf_puts(out, is_known ? "" : "<span class=\"quiet\" title=\"not significant\">");
		effect_put_change(workload->whole, out);
		buf_puts(out, is_known ? "" : "</span>");
	}
	html_put(out, "</td><td>%s</td></tr>\n", workload->headline);
}

static void
begin_section(struct buf *out, const char *id, const char *heading)
{
	html_put(out, "<section id=\"%s\" aria-labelledby=\"h-%s\"><h2 id=\"h-%s\">%s</h2>\n", id,
		id, id, heading);
}

static void
put_overview(
	const struct report_view *view, const struct workload_view *const *order, struct buf *out)
{
	static const struct html_heading headings[] = {{"Workload", ""}, {"Verdict", "sorted"},
		{"Whole program", "number"}, {"In short", "plain"}};

	begin_section(out, "workloads", "Workloads");
	html_table_begin(out, "Workloads",
		"The result of each, the most severe first; change of cost of the whole program",
		"sortable overview", headings, sizeof(headings) / sizeof(headings[0]));
	for (size_t i = 0; i < view->nworkloads; i++)
		put_overview_row(view, order[i], out);
	html_table_end(out);
	buf_puts(out, "</section>\n");
}

/* Appends nothing if it is not known. */
static void
put_pair(struct buf *out, const char *name, const char *value)
{
	if (value && value[0])
		html_put(out, "<dt>%s</dt><dd>%s</dd>", name, value);
}

static void
put_environment(const struct report_view *view, struct buf *out)
{
	const struct report *report = view->report;
	const struct machine *machine = report->machine;
	bool files = view->nworkloads > 0 && view->workloads[0].judgement->input.mode == GATE_FILES;
	struct buf line = {0};

	begin_section(out, "environment", "Environment");
	buf_puts(out, "<dl>");
	buf_printf(&line, "%s, %s, %u %s, %.1f GiB", machine->cpu_model, machine->arch,
		machine->cpus, machine->cpus == 1 ? "CPU" : "CPUs", machine->memory_gib);
	if (machine->hypervisor[0])
		buf_printf(&line, ", under %s", machine->hypervisor);
	put_pair(out, files ? "Judged on" : "Machine", buf_text(&line));
	buf_clear(&line);
	buf_printf(&line, "%s, %s", machine->kernel, machine->os);
	put_pair(out, "System", buf_text(&line));
	put_pair(out, "Machine class", report->machine_class);
	put_pair(out, "Event", report->event_reason);
	put_pair(out, "Pinning", report->pinning);
	put_pair(out, "Commit", report->commit);
	put_pair(out, "Against", report->against);
	put_pair(out, "Notes on it", report->against_notes);
	put_pair(out, "Policy", report->policy.from);
	buf_puts(out, "</dl>\n<p>Each workload describes both sides under "
		      "\"Validity\".</p></section>\n");
	buf_release(&line);
}

static void
put_policy(const struct report_view *view, struct buf *out)
{
	static const struct html_heading headings[] = {
		{"Place", ""}, {"Key", ""}, {"Judged by", ""}, {"Here", ""}, {"Holds here", ""}};

	if (!view->policy[0])
		return;
	begin_section(out, "policy", "Policy changed");
	html_put(out, "<p>%s.</p>\n", view->policy);
	html_table_begin(out, "Policy", "Settings that differ from those that judge", "plain",
		headings, sizeof(headings) / sizeof(headings[0]));
	for (size_t i = 0; i < view->npolicy_changes; i++) {
		const struct policy_change *change = view->policy_changes[i].change;

		html_put(out,
			"<tr><th scope=\"row\">%s</th><td>%s</td><td><code>%s</code></td>"
			"<td><code>%s</code></td><td>%s</td></tr>\n",
			view->policy_changes[i].place, change->key, change->before, change->after,
			change->holds ? change->holds : "no");
	}
	html_table_end(out);
	if (view->report->policy.nleft_out > 0)
		buf_printf(out, "<p>and %zu more</p>\n", view->report->policy.nleft_out);
	buf_puts(out, "</section>\n");
}

static void
put_commands(const struct report_view *view, struct buf *out)
{
	begin_section(out, "reproduce", "To reproduce");
	put_offered(view, out);
	buf_puts(out, "<p>All of it:</p>\n");
	html_command(out, view->report->command, "");
	buf_puts(out, "</section>\n");
}

static void
put_body(const struct report_view *view, struct html_pictures *pictures, struct buf *out)
{
	const struct workload_view **order = order_workloads(view);
	size_t frames = PICTURES_FRAMES / (view->nworkloads > 0 ? view->nworkloads : 1);

	if (frames > PICTURE_MOST_FRAMES)
		frames = PICTURE_MOST_FRAMES;
	if (frames < PICTURE_LEAST_FRAMES)
		frames = PICTURE_LEAST_FRAMES;
	pictures->max_frames = frames;
	buf_puts(out, "<main id=\"main\" tabindex=\"-1\">\n");
	/* The severest one is what the page was opened for. */
	const bool leads =
		!view->is_large && view->nworkloads > 0 && order[0]->status == STATUS_FAIL;

	if (leads)
		put_section(view, order[0], pictures, out);
	put_overview(view, order, out);
	put_policy(view, out);
	for (size_t i = leads; i < view->nworkloads && !view->is_large; i++)
		put_section(view, order[i], pictures, out);
	put_commands(view, out);
	put_environment(view, out);
	buf_puts(out, "</main>\n");
	free(order);
}

static void
put_report_page(const struct report_view *view, const struct workload_view *workload,
	struct html_pictures *pictures, struct buf *out)
{
	(void)workload;
	put_verdict(view, out);
	if (!view->is_large)
		buf_puts(out, flamegraph_page_part(FLAMEGRAPH_PATTERNS));
	put_body(view, pictures, out);
	buf_puts(out, "<footer id=\"files\"><p>Beside this page lie <a href=\"verdict.json\">"
		      "verdict.json</a> (everything, for programs), <a href=\"junit.xml\">junit.xml"
		      "</a>, <a href=\"report.txt\">report.txt</a> and <a href=\"summary.md\">"
		      "summary.md</a>.</p></footer>\n");
}

static void
write_html(const struct report_view *view, struct buf *out)
{
	put_page(view->report->status, view->headline, !view->is_large, put_report_page, view, NULL,
		out);
}

static void
put_workload_page(const struct report_view *view, const struct workload_view *workload,
	struct html_pictures *pictures, struct buf *out)
{
	buf_puts(out, "<nav aria-label=\"The report\"><ul><li><a href=\"../index.html\">All "
		      "workloads</a></li></ul></nav>\n");
	if (!workload->is_brief)
		buf_puts(out, flamegraph_page_part(FLAMEGRAPH_PATTERNS));
	buf_puts(out, "<main id=\"main\" tabindex=\"-1\">\n");
	put_section(view, workload, pictures, out);
	buf_puts(out, "</main>\n");
}

/* The page of a workload in a large report, beside its other files. */
static bool
write_workload_page(
	const struct report_view *view, const struct workload_view *workload, struct buf *out)
{
	if (view->is_large)
		put_page(workload->status, workload->name, !workload->is_brief, put_workload_page,
			view, workload, out);
	return view->is_large;
}

const struct workload_output output_workload_page = {
	.name = "index.html",
	.summary = "of a large report, the page of the workload",
	.write = write_workload_page,
};

const struct report_output output_html = {
	.name = "index.html",
	.summary = "the report as a page: verdict, findings, flame graphs, tables, every run",
	.write = write_html,
};
