/*
 * The parts of OpenMetrics text (github.com/OpenObservability/OpenMetrics, 1.0), and the file of a
 * watch.
 */
#ifndef OUTPUT_OPENMETRICS_H
#define OUTPUT_OPENMETRICS_H

#include "base/buf.h"
#include "output/trend_report.h"

#include <stdint.h>

/* Appends NAME="VALUE", the value escaped. */
void openmetrics_put_label(struct buf *out, const char *name, const char *value);
/* Appends the end of the labels, and the value of a sample. */
void openmetrics_put_sample(struct buf *out, double value);

/* How a watch fares. */
struct watch_state {
	size_t windows;
	int64_t started;  /* the last window; 0: none */
	double own_ratio; /* CPU time of profile_run over that of all CPUs, since it was started */
	size_t push_failures;
	int64_t alert_from; /* alerts begin after this time */
};

/* Appends the whole file: shares in the last window, alerts, and how the watch itself fares. */
void openmetrics_put_watch(
	const struct trend *trend, const struct watch_state *state, struct buf *out);

#endif
