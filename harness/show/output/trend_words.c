/* Words that the text and the page of a history have in common. */
#include "base/escape.h"
#include "builds/code_owners.h"
#include "format/figures.h"
#include "output/trend_report.h"

#include <math.h>
#include <string.h>

#define DAY_LEN 10
#define COMMIT_DIGITS 12
#define CONFIDENCE 0.95
#define MONTH 30

void
trend_put_day(struct buf *out, int64_t seconds)
{
	struct buf time = {0};

	format_time(&time, seconds);
	buf_put(out, buf_text(&time), time.len < DAY_LEN ? time.len : DAY_LEN);
	buf_release(&time);
}

void
trend_put_when(const struct trend_report *report, struct buf *out, int64_t seconds)
{
	if (report->of_windows)
		format_time(out, seconds);
	else
		trend_put_day(out, seconds);
}

const char *
trend_nights(const struct trend_report *report)
{
	return report->of_windows ? "windows" : "nights";
}

bool
trend_put_too_few(const struct trend_report *report, struct buf *out)
{
	const struct trend *trend = report->trend;
	size_t most = 0;

	if (trend->nseries == 0 || trend->ntoo_short < trend->nseries)
		return false;
	for (size_t i = 0; i < trend->nseries; i++)
		most = trend->series[i].nnights > most ? trend->series[i].nnights : most;
	buf_printf(out, "too few %s (%zu of %zu)", trend_nights(report), most,
		trend_least_nights(trend));
	return true;
}

void
trend_put_commit(const char *commit, struct buf *out)
{
	size_t len = strlen(commit);

	if (len == 0)
		buf_putc(out, '?');
	buf_put(out, commit, len < COMMIT_DIGITS ? len : COMMIT_DIGITS);
}

void
trend_put_commits(const struct trend_night *surely_before, const struct trend_night *surely_after,
	struct buf *out)
{
	trend_put_commit(surely_before->entry->commit, out);
	buf_puts(out, "..");
	trend_put_commit(surely_after->entry->commit, out);
}

const struct recent_commit *
trend_commits(const struct trend_report *report, const struct trend_event *event, size_t *n)
{
	return recent_commits_between(&report->commits, event->surely_before->entry->commit,
		event->surely_after->entry->commit, n);
}

void
trend_put_owners(const struct recent_commit *commits, size_t n, struct buf *owners)
{
	for (size_t i = 0; i < n; i++)
		code_owners_add(owners, commits[i].owners);
}

const char *
trend_where(const struct trend_series *series)
{
	if (series->nclasses > 1)
		return "all classes";
	return series->paired ? "paired" : series->machine_class;
}

void
trend_put_kind(
	const struct trend_report *report, const struct trend_series *series, struct buf *out)
{
	const struct two_states *states = &series->states;
	const struct drift *drift = &series->drift;

	if (states->found) {
		buf_puts(out, "alternates between two states, ");
		format_percent(out, expm1(states->high - states->low));
		buf_puts(out, " apart; the slower one in ");
		format_percent(out, states->high_share);
		buf_printf(out, " of the %s", trend_nights(report));
	}
	if (drift->found) {
		buf_puts(out, states->found ? "; drifts by " : "drifts by ");
		format_estimate_words(out, expm1(MONTH * drift->a_night), expm1(MONTH * drift->low),
			expm1(MONTH * drift->high), CONFIDENCE);
		buf_printf(out, " in %d %s", MONTH, trend_nights(report));
	}
	if ((series->is_new_work || series->is_past) && (states->found || drift->found))
		buf_puts(out, "; ");
	if (series->is_new_work) {
		buf_puts(out, "since the workload was changed, ");
		trend_put_day(out, series->nights[0].entry->started);
	}
	if (series->is_past) {
		buf_puts(out, series->is_new_work ? ", until it was again, "
						  : "until the workload was changed, ");
		trend_put_day(out, series->nights[series->nnights - 1].entry->started);
	}
}

void
trend_put_level(const struct trend_series *series, double value, struct buf *out)
{
	if (series->paired)
		format_percent(out, exp(value));
	else
		format_cost_as(out, exp(value), series->unit, escape_xml);
}
