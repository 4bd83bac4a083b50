/*
 * The change points of a history, in words, for programs and as a page.
 */
#ifndef OUTPUT_TREND_REPORT_H
#define OUTPUT_TREND_REPORT_H

#include "base/buf.h"
#include "builds/recent_commits.h"
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
	const struct recent_commits *commits; /* of the repository; NULL or none: not known */
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
/* Appends the owners of what they changed, "@parsers @anna", each once; nothing without any. */
void trend_put_owners(const struct recent_commit *commits, size_t n, struct buf *out);

/*
 * How a series behaves beside its levels, "drifts by +2.1 % in 30 nights (95 % CI 1.9 to 2.3)", and
 * where its workload was changed; nothing where it only has levels.
 */
void trend_put_kind(
	const struct trend_report *report, const struct trend_series *series, struct buf *out);
/* "paired", "all classes" or the machine class. */
const char *trend_where(const struct trend_series *series);

#endif
