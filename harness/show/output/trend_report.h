/*
 * The change points of a history, in words, for programs and as a page; the metrics of a watch; and
 * the words that these have in common (trend_words.c).
 */
#ifndef OUTPUT_TREND_REPORT_H
#define OUTPUT_TREND_REPORT_H

#include "base/buf.h"
#include "builds/recent_commits.h"
#include "history/trend.h"
#include "history/trend_events.h"

struct trend_report {
	const struct trend *trend;
	const struct trend_events *events; /* of the trend */
	bool of_windows;     /* its nights are windows of a watch, and its costs shares */
	unsigned alert_days; /* an event for the worse in so many last days, or windows, alerts */
	int64_t alert_from;  /* that is since this time */
	size_t nalerts;      /* number of those */
	/* Of `history accept`, quoted for a shell: "", " --history DIR"; NULL: no event can be
	 * accepted. */
	const char *accept_options;
	struct recent_commits commits; /* of the repository, borrowed; all zeros: not known */
	const char *tool_version;
	/* The folder of the history, and its path relative to that of the page, for links. */
	const char *history_dir;
	const char *to_history;
};

/* For a console: one line a change point, the newest first, those of one event together. */
void trend_put_text(const struct trend_report *report, struct buf *out);
/* One JSON object; the manual page says what its keys are. */
void trend_put_json(const struct trend_report *report, struct buf *out);
/* trend.html, one self-contained page. */
void trend_put_html(const struct trend_report *report, struct buf *out);

/* How a watch fares. */
struct watch_state {
	size_t windows;
	int64_t started;  /* the last window; 0: none */
	double own_ratio; /* CPU time of profile_run over that of all CPUs, since it was started */
	size_t push_failures;
	int64_t alert_from; /* alerts begin after this time */
};

/*
 * Appends the file of a watch as OpenMetrics text (github.com/OpenObservability/OpenMetrics, 1.0):
 * shares in the last window, alerts, and how the watch itself fares.
 */
void openmetrics_put_watch(
	const struct trend *trend, const struct watch_state *state, struct buf *out);

/*
 * The chart of one series of a history: its nights, the levels between change points, and the
 * change points. An SVG inside the page, with a text that says the same. The days of all charts of
 * a page run from `first` to `last`, seconds since 1970; `id` is unique in the page.
 */
void trend_chart(const struct trend_series *series, int64_t first, int64_t last, const char *id,
	struct buf *out);

/*
 * Words in common (trend_words.c).
 */

/* Appends "2026-11-20", the day of a time. */
void trend_put_day(struct buf *out, int64_t seconds);
/* Appends when a night was: its day, or the time of a window. */
void trend_put_when(const struct trend_report *report, struct buf *out, int64_t seconds);
/* "nights" or "windows". */
const char *trend_nights(const struct trend_report *report);
/* Whether no series has nights enough for a change point: appends "too few nights (7 of 14)". */
bool trend_put_too_few(const struct trend_report *report, struct buf *out);
/*
 * Appends "0123456789ab..fedcba987654", between which the change is with 95 % confidence; "?" is a
 * commit that is not known. Not yet escaped.
 */
void trend_put_commits(const struct trend_night *surely_before,
	const struct trend_night *surely_after, struct buf *out);
/*
 * The commits of an event, the newest first, *n of them: all after its last night on the old level,
 * up to its first on the new one, with 95 % confidence. Texts are not to be trusted.
 */
const struct recent_commit *trend_commits(
	const struct trend_report *report, const struct trend_event *event, size_t *n);
/* The owners of what they changed, "@parsers @anna", each once, to the empty `owners`. */
void trend_put_owners(const struct recent_commit *commits, size_t n, struct buf *owners);
/* Appends the first twelve digits of a commit, "?" for one that is not known. Not yet escaped. */
void trend_put_commit(const char *commit, struct buf *out);

/*
 * How a series behaves beside its levels, "drifts by +2.1 % in 30 nights (95 % CI 1.9 to 2.3)", and
 * where its workload was changed; nothing where it only has levels.
 */
void trend_put_kind(
	const struct trend_report *report, const struct trend_series *series, struct buf *out);
/* "paired", "all classes" or the machine class. */
const char *trend_where(const struct trend_series *series);
/* Appends a level of the series: "12.3 ms", of a pair "102.3 %" of the build compared with. */
void trend_put_level(const struct trend_series *series, double value, struct buf *out);

#endif
