/*
 * trend.html: the change points as a table, and a chart of each series. Style and script are
 * inside; without a script all charts are there, over all nights.
 */
#include "base/escape.h"
#include "base/file.h"
#include "base/mem.h"
#include "format/figures.h"
#include "output/html.h"
#include "output/trend_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID_BYTES 24
#define CONFIDENCE 0.95
/* The newest commits of an event that are shown. */
#define COMMITS_MAX 20

/* For trend.html, assembled in by page.S. */
extern const char output_trend_css[];
extern const char output_trend_js[];

/* Whether a file of a night's report is there now; never of one that is elsewhere. */
static bool
has_file(const struct trend_report *report, const struct trend_night *night, const char *workload,
	const char *name)
{
	const char *folder = night->entry->report;

	if (folder[0] == '\0' || history_is_url(folder))
		return false;
	char *path = mem_printf("%s/%s/%s%s%s", report->history_dir, folder, workload,
		workload[0] ? "/" : "", name);
	bool there = file_exists(path);

	free(path);
	return there;
}

/*
 * Appends the path of the folder of a night's report, relative to that of the page:
 * "history/../reports" is "reports".
 */
static void
put_folder(const struct trend_report *report, const char *folder, struct buf *out)
{
	const char *to = report->to_history;
	size_t len = strcmp(to, ".") == 0 ? 0 : strlen(to);

	while (strncmp(folder, "../", 3) == 0 && len > 0) {
		size_t last = len;

		while (last > 0 && to[last - 1] != '/')
			last--;
		if (len - last == 2 && strncmp(to + last, "..", 2) == 0)
			break;
		len = last > 0 ? last - 1 : 0;
		folder += 3;
	}
	buf_put(out, to, len);
	buf_printf(out, "%s%s", len > 0 ? "/" : "", folder);
}

/* Appends the path of a file of a night's report, relative to the page. */
static void
put_path(const struct trend_report *report, const struct trend_night *night, const char *workload,
	const char *name, struct buf *out)
{
	put_folder(report, night->entry->report, out);
	buf_printf(out, "/%s%s%s", workload, workload[0] ? "/" : "", name);
}

/* Appends the path of a file of a night's report as a shell word. */
static void
put_path_word(const struct trend_report *report, const struct trend_night *night,
	const char *workload, const char *name, struct buf *out)
{
	struct buf path = {0};

	put_path(report, night, workload, name, &path);
	escape_shell_word(out, buf_text(&path));
	buf_release(&path);
}

static void
put_file_link(const struct trend_report *report, const struct trend_night *night,
	const char *workload, const char *name, const char *text, struct buf *out)
{
	struct buf path = {0};

	if (!has_file(report, night, workload, name))
		return;
	put_path(report, night, workload, name, &path);
	buf_puts(out, " <a href=\"");
	escape_url(out, buf_text(&path), path.len);
	html_put(out, "\">%s</a>", text);
	buf_release(&path);
}

static void
put_report_link(const struct trend_report *report, const struct trend_night *night,
	const char *text, struct buf *out)
{
	if (history_is_url(night->entry->report))
		html_put(out, " <a href=\"%s\">%s</a>", night->entry->report, text);
	else
		put_file_link(report, night, "", "index.html", text, out);
}

/* The command that draws both nights' profiles as one picture, if both exist. */
static void
put_diff_command(
	const struct trend_report *report, const struct trend_change *change, struct buf *out)
{
	static const char name[] = "folded.txt";
	const char *workload = change->series->workload;
	struct buf command = {0};

	if (!has_file(report, change->before, workload, name) ||
		!has_file(report, change->after, workload, name))
		return;
	buf_puts(&command, "profile_run diff --before ");
	put_path_word(report, change->before, workload, name, &command);
	buf_puts(&command, " --after ");
	put_path_word(report, change->after, workload, name, &command);
	buf_puts(&command, " --output diff.svg");
	html_command(out, buf_text(&command), "");
	buf_release(&command);
}

static void
put_links(const struct trend_report *report, const struct trend_change *change, struct buf *out)
{
	const char *workload = change->series->workload;

	put_report_link(report, change->before, "report before", out);
	put_report_link(report, change->after, "report after", out);
	put_file_link(report, change->before, workload, "diff.svg", "flame graph before", out);
	put_file_link(report, change->after, workload, "diff.svg", "flame graph after", out);
}

static size_t
index_of(const struct trend *trend, const struct trend_series *series)
{
	return (size_t)(series - trend->series);
}

/* Appends the commits of an event, folded away, and the owners of what they changed. */
static void
put_commits(const struct trend_report *report, const struct trend_event *event, struct buf *out)
{
	size_t n;
	const struct recent_commit *commits = trend_commits(report, event, &n);
	struct buf owners = {0};

	if (n == 0)
		return;
	buf_puts(out, "<details class=\"commits\"><summary>");
	format_plural(out, n, "commit", "commits");
	trend_put_owners(commits, n, &owners);
	if (owners.len > 0)
		html_put(out, ", owners %s", buf_text(&owners));
	buf_puts(out, "</summary><ul>");
	for (size_t i = 0; i < n && i < COMMITS_MAX; i++) {
		buf_puts(out, "<li><code>");
		trend_put_commit(commits[i].commit, out);
		html_put(out, "</code> %s: %s</li>", commits[i].author, commits[i].subject);
	}
	if (n > COMMITS_MAX)
		buf_printf(out, "<li>and %zu more</li>", n - COMMITS_MAX);
	buf_puts(out, "</ul></details>");
	buf_release(&owners);
}

/* For a change for the worse, whether it "lasts", was "taken back" or "accepted"; else "better". */
static const char *
state_of(const struct trend_event *event, const struct trend_change *change)
{
	if (!event->worse)
		return "better";
	if (event->accepted)
		return "accepted";
	return trend_is_worse(change, INT64_MIN) ? "lasts" : "taken back";
}

/* The state of the last change of a series, which has at least one; "": it is of no event. */
static const char *
last_state_of(const struct trend_report *report, const struct trend_series *series)
{
	const struct change_point *last = &series->changes[series->nchanges - 1];

	for (size_t i = 0; i < report->events->count; i++) {
		const struct trend_event *event = &report->events->items[i];

		for (size_t k = 0; k < event->nchanges; k++) {
			if (event->changes[k]->point == last)
				return state_of(event, event->changes[k]);
		}
	}
	return "";
}

/* Appends the attributes by which the page's script selects a row or a chart; `point` may be NULL.
 */
static void
put_data(const struct trend_series *series, const struct change_point *point, const char *state,
	struct buf *out)
{
	html_put(out, " data-class=\"%s\" data-workload=\"%s\"", trend_where(series),
		series->workload);
	if (!point)
		return;
	buf_puts(out, " data-change=\"");
	buf_put_short(out, point->change);
	buf_printf(out, "\" data-state=\"%s\"", state);
}

/* A row of the table; those of one event follow its head. */
static void
put_change_row(const struct trend_report *report, const struct trend_event *event,
	const struct trend_change *change, struct buf *out)
{
	const struct trend_series *series = change->series;
	const struct change_point *point = change->point;
	struct buf commits = {0};

	buf_printf(out, "<tr%s", change == event->changes[0] ? "" : " class=\"member\"");
	put_data(series, point, state_of(event, change), out);
	buf_puts(out, "><th scope=\"row\">");
	trend_put_when(report, out, event->after->entry->started);
	html_put(out, "</th><td>%s</td><td><code><a href=\"#s-", series->workload);
	buf_printf(out, "%zu\">", index_of(report->trend, series));
	html_name(out, series->function[0] ? series->function : "(program)");
	buf_puts(out, "</a></code></td>");
	html_number_begin(out, point->change);
	buf_printf(out, "<span class=\"status %s\">", point->change > 0 ? "fail" : "pass");
	format_estimate(out, point->change, point->low, point->high);
	buf_puts(out, "</span> ");
	format_interval(out, point->change, point->low, point->high);
	html_put(out, "</td><td>%s</td><td><code>", state_of(event, change));
	if (!report->of_windows)
		trend_put_commits(event->surely_before, event->surely_after, &commits);
	html_put(out, "%s</code>", buf_text(&commits));
	if (change == event->changes[0])
		put_commits(report, event, out);
	html_put(out, "</td><td>%s</td><td>", trend_where(series));
	if (event->accepted)
		html_put(out, "%s ", event->accepted->reason);
	put_links(report, change, out);
	buf_puts(out, "</td></tr>\n");
	buf_release(&commits);
}

static void
put_event_rows(const struct trend_report *report, const struct trend_event *event, struct buf *out)
{
	for (size_t i = 0; i < event->nchanges; i++)
		put_change_row(report, event, event->changes[i], out);
}

static void
put_changes(const struct trend_report *report, struct buf *out)
{
	const struct html_heading headings[] = {
		{report->of_windows ? "First window" : "First night", "sorted"},
		{report->of_windows ? "Program" : "Workload", ""}, {"Function", ""},
		{"Change, 95 % CI", "number"}, {"State", ""}, {"Commits", "plain"},
		{"Machine class", ""}, {"Reports", "plain"}};
	const struct trend *trend = report->trend;

	buf_puts(out, "<section id=\"changes\" aria-labelledby=\"h-changes\">"
		      "<h2 id=\"h-changes\">Change points</h2>\n");
	if (trend->nchanges == 0)
		buf_puts(out, "<p>None.</p>\n");
	if (trend->nchanges > 0) {
		html_table_begin(out, "Change points",
			"The newest event first, headed by its largest change", "sortable changes",
			headings, sizeof(headings) / sizeof(headings[0]));
		for (size_t i = 0; i < report->events->count; i++)
			put_event_rows(report, &report->events->items[i], out);
		html_table_end(out);
	}
	buf_puts(out, "</section>\n");
}

/* The notes below a chart: each of its change points with links. */
static void
put_notes(const struct trend_report *report, const struct trend_series *series, struct buf *out)
{
	const struct trend *trend = report->trend;

	if (series->nchanges == 0)
		return;
	buf_puts(out, "<ul class=\"findings\">\n");
	for (size_t i = 0; i < trend->nchanges; i++) {
		const struct trend_change *change = &trend->changes[i];
		struct buf commits = {0};

		if (change->series != series)
			continue;
		buf_puts(out, "<li><p>");
		trend_put_when(report, out, change->after->entry->started);
		buf_puts(out, ": ");
		format_estimate_words(out, change->point->change, change->point->low,
			change->point->high, CONFIDENCE);
		buf_puts(out, ", ");
		trend_put_level(series, change->point->before_level, out);
		buf_puts(out, " to ");
		trend_put_level(series, change->point->after_level, out);
		if (!report->of_windows) {
			trend_put_commits(change->surely_before, change->surely_after, &commits);
			html_put(out, "; <code>%s</code>", buf_text(&commits));
		}
		buf_putc(out, '.');
		put_links(report, change, out);
		buf_puts(out, "</p>\n");
		put_diff_command(report, change, out);
		buf_puts(out, "</li>\n");
		buf_release(&commits);
	}
	buf_puts(out, "</ul>\n");
}

/* Appends what the series measures. */
static void
put_measured(const struct trend_report *report, const struct trend_series *series, struct buf *out)
{
	if (report->of_windows) {
		buf_puts(out, "share of CPU time");
		return;
	}
	html_put(out, "mean %s", series->metric);
	if (series->paired)
		html_put(out, ", relative to %s, interleaved",
			series->nights[series->nnights - 1].entry->against);
	else if (series->nclasses > 1)
		buf_printf(out,
			", on %u classes of machines, each less how far it is from the largest",
			series->nclasses);
	else if (series->machine_class[0])
		html_put(out, ", on %s", series->machine_class);
}

static void
put_series(const struct trend_report *report, const struct trend_series *series, struct buf *out)
{
	const struct trend *trend = report->trend;
	struct buf kind = {0};
	char id[ID_BYTES];

	snprintf(id, sizeof(id), "%zu", index_of(trend, series));
	html_put(out, "<figure class=\"trend\" id=\"s-%s\"", id);
	if (series->nchanges > 0)
		put_data(series, &series->changes[series->nchanges - 1],
			last_state_of(report, series), out);
	else
		put_data(series, NULL, "", out);
	buf_puts(out, ">\n<figcaption><h3>");
	if (series->function[0]) {
		buf_puts(out, "<code>");
		html_name(out, series->function);
		buf_puts(out, "</code>");
	} else {
		buf_puts(out, "The whole program");
	}
	buf_puts(out, "</h3> ");
	put_measured(report, series, out);
	trend_put_kind(report, series, &kind);
	if (kind.len > 0)
		buf_printf(out, "; %s", buf_text(&kind));
	buf_release(&kind);
	buf_puts(out, "</figcaption>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
		      "aria-label=\"Chart\">\n");
	trend_chart(series, trend->first, trend->last, id, out);
	buf_puts(out, "</div>\n");
	put_notes(report, series, out);
	buf_puts(out, "</figure>\n");
}

/* Series [from, to) of one workload: the whole program and changed ones, then the others. */
static void
put_workload(const struct trend_report *report, size_t from, size_t to, struct buf *out)
{
	const struct trend_series *series = report->trend->series;
	const char *name = series[from].workload;
	size_t others = 0;

	html_put(out, "<section class=\"workload\" id=\"w-%s\"><h2>%s</h2>\n", name, name);
	for (size_t i = from; i < to; i++) {
		if (series[i].function[0] == '\0' || series[i].nchanges > 0)
			put_series(report, &series[i], out);
		else
			others++;
	}
	if (others > 0) {
		buf_puts(out, "<details class=\"others\"><summary>");
		format_plural(out, others, "series", "series");
		buf_puts(out, " of functions without a change point</summary>\n");
		for (size_t i = from; i < to; i++) {
			if (series[i].function[0] != '\0' && series[i].nchanges == 0)
				put_series(report, &series[i], out);
		}
		buf_puts(out, "</details>\n");
	}
	buf_puts(out, "</section>\n");
}

static void
put_workloads(const struct trend_report *report, struct buf *out)
{
	const struct trend *trend = report->trend;

	for (size_t from = 0, to; from < trend->nseries; from = to) {
		to = from + 1;
		while (to < trend->nseries &&
			strcmp(trend->series[to].workload, trend->series[from].workload) == 0)
			to++;
		put_workload(report, from, to, out);
	}
}

static void
put_header(const struct trend_report *report, struct buf *out)
{
	const struct trend *trend = report->trend;
	struct buf too_few = {0};
	const char *kind = trend_put_too_few(report, &too_few) ? "inconclusive"
			   : report->nalerts > 0               ? "fail"
							       : "pass";
	const char *days = report->of_windows ? "windows" : "days";

	buf_printf(out, "<header class=\"%s\">\n<h1>", kind);
	if (too_few.len > 0) {
		buf_printf(out, "Undecided: %s", buf_text(&too_few));
	} else if (report->nalerts > 0) {
		format_plural(out, report->nalerts, "event", "events");
		buf_printf(out, " for the worse in the last %u %s", report->alert_days, days);
	} else {
		buf_printf(
			out, "No event for the worse in the last %u %s", report->alert_days, days);
	}
	buf_release(&too_few);
	buf_puts(out, "</h1>\n<p>");
	format_plural(out, trend->nchanges, "change point", "change points");
	buf_puts(out, " in ");
	format_plural(out, trend->nseries, "series", "series");
	buf_puts(out, ", <time>");
	trend_put_when(report, out, trend->first);
	buf_puts(out, "</time> to <time>");
	trend_put_when(report, out, trend->last);
	html_put(out, "</time>, profile_run %s</p>\n<p>", report->tool_version);
	buf_puts(out, "Changes from ");
	format_setting(out, trend->search.threshold);
	buf_printf(out, ", levels of %u %s", trend->search.min_nights, trend_nights(report));
	if (trend->ntoo_short > 0)
		buf_printf(out, "; %zu series with fewer than %zu %s", trend->ntoo_short,
			trend_least_nights(trend), trend_nights(report));
	buf_puts(out, "</p>\n</header>\n");
}

void
trend_put_html(const struct trend_report *report, struct buf *out)
{
	static const char *const styles[] = {output_page_css, output_trend_css, NULL};
	static const char *const scripts[] = {output_page_js, output_trend_js, NULL};

	html_head("Trend - profile_run", styles, scripts, out);
	buf_puts(out, "<body>\n<a class=\"skip\" href=\"#main\">Skip to the change points</a>\n");
	put_header(report, out);
	buf_puts(out, "<main id=\"main\" tabindex=\"-1\">\n");
	buf_puts(out, "<div id=\"choice\"></div>\n");
	put_changes(report, out);
	put_workloads(report, out);
	buf_puts(out, "</main>\n");
	html_scripts(scripts, out);
	buf_puts(out, "</body>\n</html>\n");
}
