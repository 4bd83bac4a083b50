/*
 * OpenMetrics text (github.com/OpenObservability/OpenMetrics, 1.0), for what scrapes or pushes to
 * Prometheus. Of a report: gauges of the cost of each workload and function, of the change, and of
 * the verdict. Of a watch: shares in the last window, alerts, and how the watch itself fares.
 */
#include "output/output.h"

#include "base/escape.h"
#include "base/number.h"
#include "output/export_values.h"
#include "output/trend_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PERCENT 100
#define DIGITS 9
/* GitLab compares values as texts: what no two runs have alike would be a change in each. */
#define GITLAB_DIGITS 3
#define NS_PER_S 1e9

static void
put_label(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, "%s=\"", name);
	escape_quoted(out, value, strlen(value));
	buf_putc(out, '"');
}

/* As put_label() without '#', which begins a comment anywhere in a line for GitLab's reader. */
static void
put_gitlab_label(struct buf *out, const char *name, const char *value)
{
	struct buf plain = {0};

	buf_puts(&plain, value);
	for (size_t i = 0; i < plain.len; i++) {
		if (plain.data[i] == '#')
			plain.data[i] = '.';
	}
	put_label(out, name, buf_text(&plain));
	buf_release(&plain);
}

/* The end of a sample. */
static void
put_value(struct buf *out, double value, unsigned digits)
{
	char text[NUMBER_BYTES];

	number_short(text, value, digits);
	buf_puts(out, "} ");
	/* Without an exponent where the number can be written without: "10200" of "1.02e+04". */
	buf_put_number(out, strtod(text, NULL));
	buf_putc(out, '\n');
}

static void
put_sample(struct buf *out, double value)
{
	put_value(out, value, DIGITS);
}

static void
put_of_series(struct buf *out, const char *name, const struct trend_series *series, double value)
{
	buf_printf(out, "%s{", name);
	put_label(out, "program", series->workload);
	if (series->function[0]) {
		buf_putc(out, ',');
		put_label(out, "function", series->function);
	}
	put_sample(out, value);
}

static void
put_shares(const struct trend *trend, int64_t started, struct buf *out)
{
	buf_puts(out,
		"# TYPE profile_run_share_ratio gauge\n"
		"# UNIT profile_run_share_ratio ratio\n"
		"# HELP profile_run_share_ratio CPU time in the last window: of a program, of all; of a "
		"function, of its program.\n");
	for (size_t i = 0; i < trend->nseries; i++) {
		const struct trend_series *series = &trend->series[i];
		const struct history_entry *last = series->nights[series->nnights - 1].entry;

		if (last->started == started)
			put_of_series(out, "profile_run_share_ratio", series, last->cost / PERCENT);
	}
}

static void
put_alerts(const struct trend *trend, int64_t from, struct buf *out)
{
	buf_puts(out, "# TYPE profile_run_alert_ratio gauge\n"
		      "# UNIT profile_run_alert_ratio ratio\n"
		      "# HELP profile_run_alert_ratio Growth of a share, of the share before.\n");
	for (size_t i = 0; i < trend->nchanges; i++) {
		const struct trend_change *change = &trend->changes[i];

		if (trend_is_worse(change, from))
			put_of_series(out, "profile_run_alert_ratio", change->series,
				change->point->change);
	}
}

static void
put_gauge(struct buf *out, const char *name, const char *unit, const char *help, double value)
{
	buf_printf(out, "# TYPE profile_run_%s gauge\n", name);
	if (unit)
		buf_printf(out, "# UNIT profile_run_%s %s\n", name, unit);
	buf_printf(out, "# HELP profile_run_%s %s\nprofile_run_%s ", name, help, name);
	buf_put_number(out, value);
	buf_putc(out, '\n');
}

void
openmetrics_put_watch(const struct trend *trend, const struct watch_state *state, struct buf *out)
{
	put_shares(trend, state->started, out);
	put_alerts(trend, state->alert_from, out);
	put_gauge(out, "windows", NULL, "Windows that are kept.", (double)state->windows);
	put_gauge(out, "window_start_seconds", "seconds", "Start of the last window, Unix time.",
		(double)state->started);
	put_gauge(out, "own_cpu_ratio", "ratio",
		"CPU time of profile_run itself, of all CPUs, since it was started.",
		state->own_ratio);
	put_gauge(out, "push_failures", NULL, "Windows that could not be pushed.",
		(double)state->push_failures);
	buf_puts(out, "# EOF\n");
}

/* What differs between readers. */
struct dialect {
	void (*label)(struct buf *out, const char *name, const char *value);
	unsigned digits; /* of costs */
};

static void
put_labels(struct buf *out, const struct dialect *dialect, const struct export_value *value)
{
	buf_putc(out, '{');
	put_label(out, "workload", value->workload);
	if (value->function) {
		buf_putc(out, ',');
		dialect->label(out, "function", value->function);
	}
}

static void
put_costs(const struct export_values *values, const struct dialect *dialect, struct buf *out)
{
	buf_puts(out,
		"# TYPE profile_run_cost gauge\n"
		"# HELP profile_run_cost Mean of a run or of an execution, as its label per says, "
		"in seconds where it is time.\n");
	for (size_t i = 0; i < values->count; i++) {
		const struct export_value *value = &values->values[i];
		bool is_time = strcmp(value->unit, "ns") == 0;

		if (!isfinite(value->mean))
			continue;
		buf_puts(out, "profile_run_cost");
		put_labels(out, dialect, value);
		buf_putc(out, ',');
		put_label(out, "metric", value->metric);
		buf_putc(out, ',');
		put_label(out, "unit", is_time ? "seconds" : value->unit);
		buf_putc(out, ',');
		put_label(out, "per", value->basis);
		put_value(out, is_time ? value->mean / NS_PER_S : value->mean, dialect->digits);
	}
}

static void
put_changes(const struct export_values *values, const struct dialect *dialect, struct buf *out)
{
	buf_puts(out, "# TYPE profile_run_change_ratio gauge\n"
		      "# UNIT profile_run_change_ratio ratio\n"
		      "# HELP profile_run_change_ratio Change of the cost, of the cost before.\n");
	for (size_t i = 0; i < values->count; i++) {
		if (!isfinite(values->values[i].change))
			continue;
		buf_puts(out, "profile_run_change_ratio");
		put_labels(out, dialect, &values->values[i]);
		put_value(out, values->values[i].change, dialect->digits);
	}
}

static void
put_verdicts(const struct report_view *view, struct buf *out)
{
	buf_puts(out, "# TYPE profile_run_verdict stateset\n"
		      "# HELP profile_run_verdict Of each workload.\n");
	for (size_t i = 0; i < view->nworkloads; i++) {
		for (enum status status = STATUS_PASS; status <= STATUS_SKIPPED; status++) {
			buf_puts(out, "profile_run_verdict{");
			put_label(out, "workload", view->workloads[i].name);
			buf_putc(out, ',');
			put_label(out, "profile_run_verdict", status_name(status));
			put_sample(out, view->workloads[i].status == status);
		}
	}
}

static void
write_metrics(const struct report_view *view, const struct dialect *dialect, struct buf *out)
{
	struct export_values values;

	export_values_init(&values, view);
	put_costs(&values, dialect, out);
	put_changes(&values, dialect, out);
	put_verdicts(view, out);
	buf_puts(out, "# EOF\n");
	export_values_release(&values);
}

static void
write_openmetrics(const struct report_view *view, struct buf *out)
{
	write_metrics(view, &(struct dialect){.label = put_label, .digits = DIGITS}, out);
}

static void
write_gitlab(const struct report_view *view, struct buf *out)
{
	write_metrics(
		view, &(struct dialect){.label = put_gitlab_label, .digits = GITLAB_DIGITS}, out);
}

const struct report_output export_openmetrics = {
	.name = "openmetrics",
	.summary = "OpenMetrics text, for Prometheus",
	.write = write_openmetrics,
};

const struct report_output export_gitlab_metrics = {
	.name = "gitlab-metrics",
	.summary = "OpenMetrics text as GitLab's metrics report takes it",
	.write = write_gitlab,
};
