/*
 * Whether the latest nights of a series have left its current level: a sequential test, asked anew
 * every night, of the last 4 to 21 nights together (a generalized likelihood ratio over the place,
 * as Lorden, "Procedures for reacting to a change in distribution", Annals of Mathematical
 * Statistics 42, 1971).
 *
 * With x the nights' distances from the level in SDs, each bounded to 3.5 so that two outliers are
 * not enough, it is
 *     z = max over j of |sum of the last j of x| / (j sqrt(v(j) + v(m))),
 * where v is the variance of the mean of so many correlated nights, by the noise within all levels
 * and within the last j nights, and m the number of those on the
 * level: the current one, and earlier ones whose mean is within two standard errors of it, as after
 * a regression that was fixed. The level is left where z is 4.5 or more; of more than 12 nights,
 * 0.06 less for each further one.
 */
#ifndef HISTORY_LATEST_NIGHTS_H
#define HISTORY_LATEST_NIGHTS_H

#include <stdbool.h>
#include <stddef.h>

/* A series and its levels, which begin at 0 and at starts[nstarts], ascending. */
struct leveled {
	const double *values;
	const double *bounded; /* with outliers bounded */
	size_t n;
	size_t *starts; /* room for one more */
	size_t nstarts;
	size_t least; /* nights of a level */
};

/*
 * The night at which the last level was left, or n. *returned: that level is an earlier one, too,
 * so that its nights are no part of a slow drift.
 */
size_t latest_nights_find(const struct leveled *series, bool *returned);

#endif
