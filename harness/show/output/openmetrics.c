#include "output/openmetrics.h"

#include "base/escape.h"

#include <math.h>
#include <string.h>

#define PERCENT 100

void
openmetrics_put_label(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, "%s=\"", name);
	escape_quoted(out, value, strlen(value));
	buf_putc(out, '"');
}

void
openmetrics_put_sample(struct buf *out, double value)
{
	buf_puts(out, "} ");
	buf_put_short(out, value);
	buf_putc(out, '\n');
}

static void
put_of_series(struct buf *out, const char *name, const struct trend_series *series, double value)
{
	buf_printf(out, "%s{", name);
	openmetrics_put_label(out, "program", series->workload);
	if (series->function[0]) {
		buf_putc(out, ',');
		openmetrics_put_label(out, "function", series->function);
	}
	openmetrics_put_sample(out, value);
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
