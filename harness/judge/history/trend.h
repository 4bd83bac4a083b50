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
 * A workload that was changed does other work: its nights from then on are a series of their own,
 * and nothing of the one before alerts.
 *
 * Pairs take precedence: a stored series has no change points in nights that are also in a paired
 * series long enough to find them.
 */
#ifndef HISTORY_TREND_H
#define HISTORY_TREND_H

#include "history/change_points.h"
#include "history/history_files.h"
#include "history/levels.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
