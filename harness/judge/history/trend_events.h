/*
 * Events of a trend: change points of several series, all for the worse or all for the better, that
 * may have one cause, as they can lie in one place.
 *
 * A change point lies between two nights with 95 % confidence. Those with the narrowest places come
 * first; each joins an event of its direction whose nights overlap with its own, and the event then
 * lies in what both have in common. It is headed by the change of a function that explains the
 * most: the difference of its cost over the cost of its whole program; without functions, by the
 * program that changed most.
 */
#ifndef HISTORY_TREND_EVENTS_H
#define HISTORY_TREND_EVENTS_H

#include "history/accepted.h"
#include "history/trend.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trend_event {
	const struct trend_change **changes; /* of a trend; the head first, then by size; owned */
	size_t nchanges;
	bool worse;
	/* It lies between these nights, of one or two of the changes. */
	const struct trend_night *surely_before;
	const struct trend_night *surely_after;
	/* The first night on the new level: the head's, where that lies between these two. */
	const struct trend_night *after;
	const struct accepted *accepted; /* why it alerts no longer; NULL: it may alert */
};

struct trend_events {
	struct trend_event *items; /* the newest first; owned */
	size_t count;
};

/* `trend` must outlive it. */
void trend_events_init(struct trend_events *events, const struct trend *trend);
void trend_events_release(struct trend_events *events);

/*
 * Marks the events for the worse that were accepted: those with a change of the workload and
 * function, whose first night is the accepted one, give or take a week. `list` must outlive the
 * events.
 */
void trend_events_accept(struct trend_events *events, const struct accepted_list *list);

/*
 * Whether it was not accepted, and one of its changes is for the worse, began after `from` and
 * lasts (trend_is_worse()).
 */
bool trend_event_is_live(const struct trend_event *event, int64_t from);
/* Number of those. */
size_t trend_events_count_live(const struct trend_events *events, int64_t from);

#endif
