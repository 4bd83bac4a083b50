/*
 * The chart of one series of a history: its nights, the levels between change points, and the
 * change points. An SVG inside the page, with a text that says the same.
 */
#ifndef OUTPUT_TREND_CHART_H
#define OUTPUT_TREND_CHART_H

#include "base/buf.h"
#include "history/trend.h"

/*
 * Appends it. The days of all charts of a page run from `first` to `last`, seconds since 1970; `id`
 * is unique in the page.
 */
void trend_chart(const struct trend_series *series, int64_t first, int64_t last, const char *id,
	struct buf *out);

/* Appends a level of the series: "12.3 ms", of a pair "102.3 %" of the build compared with. */
void trend_put_level(const struct trend_series *series, double value, struct buf *out);

#endif
