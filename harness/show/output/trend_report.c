/* The change points of a history for a console. */
#include "output/trend_report.h"

#include "base/escape.h"
#include "format/figures.h"
#include "format/table.h"
#include "history/accepted.h"

#include <math.h>
#include <string.h>

#define CONFIDENCE 0.95
#define NAME_COLUMNS 48
/* So many of the changes of one event are printed. */
#define EVENT_ROWS 4
/* So many of its commits, and of so many events. */
#define EVENT_COMMITS 5
#define EVENTS_WITH_COMMITS 3

/* A change of the workload is a line of the whole program, not one of each function. */
static bool
is_described(const struct trend_series *series)
{
	const bool changed = series->is_new_work || series->is_past;

	return series->states.found || series->drift.found ||
	       (changed && series->function[0] == '\0');
}

/* "2026-04-02", with its interval where it is not just this day. */
static void
put_dates(const struct trend_report *report, const struct trend_event *event, struct buf *out)
{
	const int64_t from = event->surely_before[1].entry->started;
	const int64_t to = event->surely_after->entry->started;
	struct buf first = {0};
	struct buf last = {0};

	trend_put_when(report, out, event->after->entry->started);
	trend_put_when(report, &first, from);
	trend_put_when(report, &last, to);
	if (from < to && strcmp(buf_text(&first), buf_text(&last)) != 0)
		buf_printf(out, " (95 %% CI %s to %s)", buf_text(&first), buf_text(&last));
	buf_release(&first);
	buf_release(&last);
}

/* A change after the cell of its place. */
static void
put_change(struct table *table, const struct trend_change *change, const char *commits)
{
	const struct trend_series *series = change->series;
	const struct change_point *point = change->point;

	table_put(table, series->workload);
	table_put(table, series->function[0] ? series->function : "(program)");
	table_put(table, series->metric);
	format_estimate_words(
		table_cell(table), point->change, point->low, point->high, CONFIDENCE);
	table_end_cell(table);
	table_put(table, commits);
	table_put(table, trend_where(series));
}

static void
put_more(struct table *table, const struct trend_event *event)
{
	table_put(table, "");
	format_plural(
		table_cell(table), event->nchanges - EVENT_ROWS, "more change", "more changes");
	table_end_cell(table);
	for (size_t i = 2; i < table->ncolumns; i++)
		table_put(table, "");
}

static void
put_event(const struct trend_report *report, struct table *table, const struct trend_event *event)
{
	struct buf commits = {0};

	put_dates(report, event, table_cell(table));
	table_end_cell(table);
	if (!report->of_windows)
		trend_put_commits(event->surely_before, event->surely_after, &commits);
	put_change(table, event->changes[0], buf_text(&commits));
	for (size_t i = 1; i < event->nchanges && i < EVENT_ROWS; i++) {
		table_put(table, "");
		put_change(table, event->changes[i], "");
	}
	if (event->nchanges > EVENT_ROWS)
		put_more(table, event);
	buf_release(&commits);
}

static void
put_changes(const struct trend_report *report, struct buf *out)
{
	static const struct table_column columns[] = {
		{NULL, false, 0},
		{NULL, false, NAME_COLUMNS},
		{NULL, false, NAME_COLUMNS},
		{NULL, false, NAME_COLUMNS},
		{NULL, false, 0},
		{NULL, false, 0},
		{NULL, false, NAME_COLUMNS},
	};
	struct table table;

	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < report->events->count; i++)
		put_event(report, &table, &report->events->items[i]);
	table_write(&table, 0, out);
	table_release(&table);
}

/* "parse: read_token" */
static void
put_series_name(const struct trend_change *head, struct buf *out)
{
	const struct trend_series *series = head->series;

	escape_utf8(out, series->workload, strlen(series->workload));
	if (series->function[0]) {
		buf_puts(out, ": ");
		escape_utf8(out, series->function, strlen(series->function));
	}
}

static void
put_accepted_event(
	const struct trend_report *report, const struct trend_event *event, struct buf *out)
{
	const struct accepted *accepted = event->accepted;

	buf_puts(out, "Accepted: ");
	trend_put_when(report, out, event->after->entry->started);
	buf_putc(out, ' ');
	put_series_name(event->changes[0], out);
	buf_puts(out, ": ");
	escape_utf8(out, accepted->reason, strlen(accepted->reason));
	if (accepted->issue[0]) {
		buf_puts(out, " (");
		escape_utf8(out, accepted->issue, strlen(accepted->issue));
		buf_putc(out, ')');
	}
	buf_putc(out, '\n');
}

/* Whether a reader of the terminal sees a name as it is, so that it can be copied. */
static bool
is_plain(const char *name)
{
	struct buf shown = {0};

	escape_utf8(&shown, name, strlen(name));
	const bool same = strcmp(buf_text(&shown), name) == 0;

	buf_release(&shown);
	return same;
}

/* The command that accepts an event: by any function where its head's name cannot be copied. */
static void
put_accept(const struct trend_report *report, const struct trend_event *event, struct buf *out)
{
	const struct trend_series *series = event->changes[0]->series;

	if (!is_plain(series->workload))
		return;
	buf_puts(out, "Accept: profile_run history accept ");
	escape_shell_word(out, series->workload);
	if (series->function[0] && is_plain(series->function)) {
		buf_putc(out, ' ');
		escape_shell_word(out, series->function);
	}
	buf_puts(out, " --since ");
	trend_put_day(out, event->after->entry->started);
	buf_printf(out, " --reason TEXT%s\n", report->accept_options);
}

/* The events that were accepted, and how the newest that alerts can be. */
static void
put_acceptance(const struct trend_report *report, struct buf *out)
{
	const struct trend_event *alert = NULL;

	for (size_t i = 0; i < report->events->count; i++) {
		const struct trend_event *event = &report->events->items[i];

		if (event->accepted)
			put_accepted_event(report, event, out);
		if (!alert && trend_event_is_live(event, report->alert_from))
			alert = event;
	}
	if (alert && report->accept_options)
		put_accept(report, alert, out);
}

/* "2026-03-25 parse: read_token, 2 commits, owners @parsers:" and the commits. */
static void
put_event_commits(
	const struct trend_report *report, const struct trend_event *event, struct buf *out)
{
	size_t n;
	const struct recent_commit *commits = trend_commits(report, event, &n);
	struct buf owners = {0};

	if (n == 0)
		return;
	trend_put_day(out, event->after->entry->started);
	buf_putc(out, ' ');
	put_series_name(event->changes[0], out);
	buf_puts(out, ", ");
	format_plural(out, n, "commit", "commits");
	trend_put_owners(commits, n, &owners);
	if (owners.len > 0) {
		buf_puts(out, ", owners ");
		escape_utf8(out, buf_text(&owners), owners.len);
	}
	buf_puts(out, ":\n");
	for (size_t i = 0; i < n && i < EVENT_COMMITS; i++) {
		buf_puts(out, "  ");
		trend_put_commit(commits[i].commit, out);
		buf_puts(out, "  ");
		escape_utf8(out, commits[i].author, strlen(commits[i].author));
		buf_puts(out, ": ");
		escape_utf8(out, commits[i].subject, strlen(commits[i].subject));
		buf_putc(out, '\n');
	}
	if (n > EVENT_COMMITS)
		buf_printf(out, "  and %zu more\n", n - EVENT_COMMITS);
	buf_putc(out, '\n');
	buf_release(&owners);
}

/* The commits of the newest events that alert. */
static void
put_commits(const struct trend_report *report, struct buf *out)
{
	size_t nshown = 0;

	for (size_t i = 0; i < report->events->count && nshown < EVENTS_WITH_COMMITS; i++) {
		const struct trend_event *event = &report->events->items[i];

		if (!trend_event_is_live(event, report->alert_from))
			continue;
		put_event_commits(report, event, out);
		nshown++;
	}
}

static void
put_kinds(const struct trend_report *report, struct buf *out)
{
	static const struct table_column columns[] = {
		{NULL, false, NAME_COLUMNS},
		{NULL, false, NAME_COLUMNS},
		{NULL, false, NAME_COLUMNS},
		{NULL, false, 0},
		{NULL, false, NAME_COLUMNS},
	};
	const struct trend *trend = report->trend;
	struct table table;
	size_t described = 0;

	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < trend->nseries; i++) {
		const struct trend_series *series = &trend->series[i];

		if (!is_described(series))
			continue;
		table_put(&table, series->workload);
		table_put(&table, series->function[0] ? series->function : "(program)");
		table_put(&table, series->metric);
		trend_put_kind(report, series, table_cell(&table));
		table_end_cell(&table);
		table_put(&table, trend_where(series));
		described++;
	}
	table_write(&table, 0, out);
	table_release(&table);
	if (described > 0)
		buf_putc(out, '\n');
}

static void
put_summary(const struct trend_report *report, struct buf *out)
{
	const struct trend *trend = report->trend;
	const bool too_few = trend_put_too_few(report, out);

	if (!too_few)
		format_plural(out, trend->nchanges, "change point", "change points");
	if (report->events->count < trend->nchanges) {
		buf_puts(out, " of ");
		format_plural(out, report->events->count, "event", "events");
	}
	buf_puts(out, " in ");
	format_plural(out, trend->nseries, "series", "series");
	buf_puts(out, ", ");
	trend_put_when(report, out, trend->first);
	buf_puts(out, " to ");
	trend_put_when(report, out, trend->last);
	if (report->nalerts > 0) {
		buf_puts(out, "; ");
		format_plural(out, report->nalerts, "event", "events");
		buf_printf(out, " for the worse in the last %u %s", report->alert_days,
			report->of_windows ? "windows" : "days");
	}
	buf_putc(out, '\n');
	if (trend->ntoo_short > 0 && !too_few)
		buf_printf(out,
			"%zu of the series %s fewer than %zu %s: no change point can be found in them yet\n",
			trend->ntoo_short, trend->ntoo_short == 1 ? "has" : "have",
			trend_least_nights(trend), trend_nights(report));
}

void
trend_put_text(const struct trend_report *report, struct buf *out)
{
	put_changes(report, out);
	if (report->trend->nchanges > 0)
		buf_putc(out, '\n');
	put_commits(report, out);
	put_kinds(report, out);
	put_summary(report, out);
	put_acceptance(report, out);
}
