/* Counts the events of a trend that an alert is about. */
#ifndef HISTORY_TREND_LIVE_H
#define HISTORY_TREND_LIVE_H

#include "history/trend.h"
#include "history/trend_events.h"

#include <stddef.h>
#include <stdint.h>

/* Events for the worse since `from` that last. */
static inline size_t
trend_count_live(const struct trend *trend, int64_t from)
{
	struct trend_events events;

	trend_events_init(&events, trend);
	const size_t n = trend_events_count_live(&events, from);

	trend_events_release(&events);
	return n;
}

#endif
