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
#include "history/history_files.h"
#include "history/trend_series.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
