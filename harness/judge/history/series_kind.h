/*
 * Series that do not stay on levels: those that alternate between two states, and those that drift.
 * They are described; their nights do not become change points.
 */
#ifndef HISTORY_SERIES_KIND_H
#define HISTORY_SERIES_KIND_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Two states, as of a layout of memory that is drawn anew for each build: all nights are in one of
 * two clusters at least 5 SDs apart, each has a tenth of the nights at least, and more than half of
 * those of the rarer one are in runs too short for a level. The slowest and the fastest 5 % of the
 * nights are outliers.
 */
struct two_states {
	bool found;
	double low, high;  /* ln(cost) */
	double high_share; /* of the nights, 0 to 1 */
};

/* Finds two states in values[n]; a level has `least` nights. */
struct two_states two_states_of(const double *values, size_t n, size_t least);
/* Takes from each night how far its state is from the lower one: steps of both states remain. */
void two_states_remove(const struct two_states *states, double *values, size_t n);

/*
 * A drift: a straight line through at least 14 nights, significant with p = 0.001 after correction
 * for correlated residuals, along which the cost changes by `threshold` and one SD at least.
 */
struct drift {
	bool found;
	double a_night;   /* change of ln(cost) */
	double low, high; /* its 95 % interval */
};

struct drift drift_of(const double *values, size_t n, double threshold);

#endif
