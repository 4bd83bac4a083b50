/*
 * The series of one cost: its nights in the order of time, and what is found in them.
 */
#ifndef HISTORY_TREND_SERIES_H
#define HISTORY_TREND_SERIES_H

#include "history/trend.h"

#include <stdbool.h>
#include <stddef.h>

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
