/*
 * index.html: the whole report as one page that opens from a disk, a CI server or an e-mail. Style,
 * script and pictures are inside, and the page's own policy allows no others.
 */
#include "output/html.h"

#include "base/escape.h"
#include "base/mem.h"
#include "flamegraph/flamegraph.h"
#include "format/figures.h"
#include "format/name.h"
#include "output/output.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define NAME_COLUMNS 240

/* Boxes of all pictures together, and of each: about 130 bytes are one. */
#define PICTURES_FRAMES 8000
#define PICTURE_MOST_FRAMES 2000
#define PICTURE_LEAST_FRAMES 150

void
html_put(struct buf *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	markup_vput(out, markup_text, fmt, args);
	va_end(args);
}

void
html_name(struct buf *out, const char *name)
{
	name_fit_as(out, name, strlen(name), NAME_COLUMNS, &name_html);
}

/* A name as a link to the workload's picture, if it has one, opened with `fragment`. */
static void
put_picture_link(const struct workload_view *workload, const struct buf *fragment, const char *name,
	struct buf *out)
{
	buf_puts(out, "<code>");
	if (!workload->is_brief) {
		html_put(out, "<a href=\"%s%s", workload->files,
			workload->judgement->compared ? "diff.svg" : "flamegraph.svg");
		buf_put(out, buf_text(fragment), fragment->len);
		buf_puts(out, "\">");
	}
	html_name(out, name);
	buf_puts(out, workload->is_brief ? "</code>" : "</a></code>");
}

void
html_function(
	const struct workload_view *workload, frame_id frame, const char *name, struct buf *out)
{
	struct buf fragment = {0};

	if (frame != 0 && !workload->is_brief)
		flamegraph_put_fragment(
			profile_frame_name(workload->rows.profile, frame), &fragment);
	put_picture_link(workload, &fragment, name, out);
	buf_release(&fragment);
}

void
html_pattern(const struct workload_view *workload, const struct gate_rule_spec *rule,
	const char *name, struct buf *out)
{
	const char *pattern = rule->pattern;
	struct buf fragment = {0};

	if (strcmp(pattern, "[unknown]") == 0)
		flamegraph_put_fragment(pattern, &fragment);
	else if (rule->kind != RULE_MODULE)
		flamegraph_put_pattern_fragment(pattern, &fragment);
	put_picture_link(workload, &fragment, name, out);
	buf_release(&fragment);
}

void
html_place(struct buf *out, const char *place, const char *url)
{
	if (url[0])
		html_put(out, "<a href=\"%s\">%s</a>", url, place);
	else
		html_put(out, "%s", place);
}

void
html_status(struct buf *out, enum status status)
{
	buf_printf(out, "<span class=\"status %s\">%s</span>", status_name(status),
		status_word(status));
}

void
html_verdict(struct buf *out, const struct finding *finding)
{
	if (finding->accepted)
		buf_puts(out, "<span class=\"status accepted\">accepted</span>");
	else
		html_status(out, finding->status);
}

void
html_table_begin(struct buf *out, const char *label, const char *caption, const char *class,
	const struct html_heading *headings, size_t nheadings)
{
	html_put(
		out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s", label);
	buf_printf(out, "\"><table class=\"%s\"><caption><span>%s</span></caption>\n<thead><tr>",
		class, caption);
	for (size_t i = 0; i < nheadings; i++) {
		buf_puts(out, "<th scope=\"col\"");
		if (headings[i].class[0])
			buf_printf(out, " class=\"%s\"", headings[i].class);
		buf_printf(out, ">%s</th>", headings[i].text);
	}
	buf_puts(out, "</tr></thead>\n<tbody>\n");
}

void
html_table_end(struct buf *out)
{
	buf_puts(out, "</tbody></table></div>\n");
}

void
html_number_begin(struct buf *out, double value)
{
	buf_puts(out, "<td class=\"number\" data-v=\"");
	if (isfinite(value))
		buf_put_short(out, value);
	buf_puts(out, "\">");
}

void
html_command(struct buf *out, const char *options, const char *argument)
{
	struct buf word = {0};

	if (argument[0]) {
		buf_putc(&word, ' ');
		escape_shell_word(&word, argument);
	}
	html_put(out, "<pre class=\"command\"><code>%s%s</code></pre>\n", options, buf_text(&word));
	buf_release(&word);
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
	void (*put)(const struct report_view *, const struct workload_view *, struct buf *),
	const struct report_view *view, const struct workload_view *workload, struct buf *out)
{
	const char *const styles[] = {output_page_css,
		has_pictures ? flamegraph_page_part(FLAMEGRAPH_STYLE) : NULL, NULL};
	const char *const scripts[] = {output_page_js,
		has_pictures ? flamegraph_page_part(FLAMEGRAPH_SCRIPT) : NULL, NULL};
	struct buf whole = {0};

	buf_printf(&whole, "%s: %s - profile_run", status_word(status), title);
	html_head(buf_text(&whole), styles, scripts, out);
	buf_puts(out, "<body>\n<a class=\"skip\" href=\"#main\">Skip to the results</a>\n");
	put(view, workload, out);
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
		html_put(out, "<tr><th scope=\"row\"><a href=\"#w-%s\">%s</a></th>", workload->name,
			workload->name);
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
put_body(const struct report_view *view, struct buf *out)
{
	const struct workload_view **order = order_workloads(view);
	size_t frames = PICTURES_FRAMES / (view->nworkloads > 0 ? view->nworkloads : 1);

	if (frames > PICTURE_MOST_FRAMES)
		frames = PICTURE_MOST_FRAMES;
	if (frames < PICTURE_LEAST_FRAMES)
		frames = PICTURE_LEAST_FRAMES;
	buf_puts(out, "<main id=\"main\" tabindex=\"-1\">\n");
	/* The severest one is what the page was opened for. */
	const bool leads =
		!view->is_large && view->nworkloads > 0 && order[0]->status == STATUS_FAIL;

	if (leads)
		html_workload(view, order[0], frames, out);
	put_overview(view, order, out);
	put_policy(view, out);
	for (size_t i = leads; i < view->nworkloads && !view->is_large; i++)
		html_workload(view, order[i], frames, out);
	put_commands(view, out);
	put_environment(view, out);
	buf_puts(out, "</main>\n");
	free(order);
}

static void
put_report_page(
	const struct report_view *view, const struct workload_view *workload, struct buf *out)
{
	(void)workload;
	put_verdict(view, out);
	if (!view->is_large)
		buf_puts(out, flamegraph_page_part(FLAMEGRAPH_PATTERNS));
	put_body(view, out);
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
put_workload_page(
	const struct report_view *view, const struct workload_view *workload, struct buf *out)
{
	buf_puts(out, "<nav aria-label=\"The report\"><ul><li><a href=\"../index.html\">All "
		      "workloads</a></li></ul></nav>\n");
	if (!workload->is_brief)
		buf_puts(out, flamegraph_page_part(FLAMEGRAPH_PATTERNS));
	buf_puts(out, "<main id=\"main\" tabindex=\"-1\">\n");
	html_workload(view, workload, PICTURE_MOST_FRAMES, out);
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
