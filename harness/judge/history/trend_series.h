/*
 * The series of one cost: its nights in the order of time, and their change points, states and
 * drift. trend.h says which nights are one series.
 */
#ifndef HISTORY_TREND_SERIES_H
#define HISTORY_TREND_SERIES_H

#include "history/change_points.h"
#include "history/entry.h"
#include "history/series_kind.h"

#include <stdbool.h>
#include <stddef.h>

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

/*
 * Makes a series of items[0..n), one cost in the order of time, for each work that was measured
 * (struct history_entry): that of the last night is the current one and comes last. Nights of which
 * the work is not known are of the work that follows, or of the last one. Returns how many;
 * `series` has room for n.
 */
size_t trend_series_make(struct trend_series *series, const struct trend_item *items, size_t n,
	const struct change_search *search);

/*
 * Makes one series of series[0..n), which differ in their class of machines only: the nights of the
 * largest, and of each other class less how far it is from them. That is the median over its nights
 * that have one of the largest within a week before and after; a class with fewer than 5 of these
 * is left out. False where only one class is left, and nothing is made then.
 */
bool trend_series_combine(struct trend_series *combined, const struct trend_series *series,
	size_t n, const struct change_search *search);

#endif
