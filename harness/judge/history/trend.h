/*
 * A history as series, one for each workload or function, metric and way of measuring, with the
 * change points of each.
 *
 * Costs of different machine classes or units cannot be compared: a stored series is of one class
 * and one unit. Where nights of several classes alternate, there is one of all of them, too, each
 * less how far its level is from that of the largest: it has the changes that are common to all,
 * which those of the classes then have no more. A pair was measured on one machine, whose speed
 * cancels: a paired series is of all classes, and its values are ratios to the build compared with.
 * Where that build is another one from a night on (a new release), the ratios after are scaled so
 * that the medians of the 7 nights on both sides agree: a change of cost in just these nights can
 * be missed, but no false one appears.
 *
 * A workload that was changed does other work: its nights from then on are another series, and
 * nothing of the one before alerts.
 *
 * Pairs take precedence: a stored series has no change points in nights that are also in a paired
 * series long enough to find them.
 */
#ifndef HISTORY_TREND_H
#define HISTORY_TREND_H

#include "history/change_points.h"
#include "history/entry.h"
#include "history/history_files.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The series of one cost: its nights in the order of time, and what is found in them.
 */

struct trend_night {
	const struct history_entry *entry; /* the history's */
	const char *machine_class;
	double value; /* ln(cost), or of a pair ln(ratio) */
	double error; /* its standard error; NAN: not known */
};

struct trend_series {
	const char *workload;
	const char *function; /* "" is the whole program */
	const char *metric;
	const char *unit; /* paired: of the last night */
	bool paired;
	const char *machine_class;  /* "": of several */
	unsigned nclasses;          /* whose levels are taken as one: more than 1 only if stored */
	const char *work;           /* the history's; "": not known */
	bool is_past;               /* another work of it was measured later */
	bool is_new_work;           /* another one was measured before the first night */
	struct trend_night *nights; /* in the order of time; owned */
	size_t nnights;
	struct two_states states;     /* where found, change points are of both states together */
	struct change_point *changes; /* owned */
	size_t nchanges;
	struct drift drift; /* since the last change point */
};

/* A night of a file of the history. */
struct trend_item {
	const char *workload;
	const char *machine_class;
	const struct history_entry *entry;
};

/* A change point with where it is. */
struct trend_change {
	const struct trend_series *series;
	const struct change_point *point;
	const struct trend_night *before; /* the last night on the old level */
	const struct trend_night *after;  /* the first on the new one */
	/* The same at the ends of the place's 95 % interval: it lies between these two. */
	const struct trend_night *surely_before;
	const struct trend_night *surely_after;
};

struct trend {
	struct change_search search;
	struct trend_series *series; /* by workload, function, metric, mode, class; owned */
	size_t nseries;
	struct trend_change *changes; /* the newest first; owned */
	size_t nchanges;
	size_t ntoo_short; /* series in which none could be found yet */
	int64_t first;     /* of the nights of all series */
	int64_t last;
};

/* Series with fewer nights have no change points. */
size_t trend_least_nights(const struct trend *trend);

/* `history` must outlive it. Only the workloads that are named, if any are. */
void trend_init(struct trend *trend, const struct history *history,
	const struct change_search *search, const char *const *workloads, size_t nworkloads);
void trend_release(struct trend *trend);

/* The start of the last `days` days of the history. */
int64_t trend_days_from(const struct trend *trend, unsigned days);
/*
 * Whether it is for the worse, begins after the time `from` and lasts: no more than half of it was
 * taken back by later changes of its series.
 */
bool trend_is_worse(const struct trend_change *change, int64_t from);

/*
 * Change points as events: those for the worse, or for the better, whose places can be one place.
 *
 * A change point lies between two nights with 95 % confidence. Those with the narrowest places come
 * first; each joins an event of its direction whose nights overlap with its own, and the event then
 * lies in what both have in common. It is headed by the change of a function that explains the
 * most: the difference of its cost over the cost of its whole program; without functions, by the
 * program that changed most.
 */

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
