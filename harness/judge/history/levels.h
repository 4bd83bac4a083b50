/*
 * The levels of a series of nights: how much the nights vary around them, the division into levels
 * that fits best, the step from one level to the next, and series that stay on none.
 *
 * The noise is the standard deviation of the nights, how far one night resembles the one before,
 * and the bound of outliers. Levels, and changes from one to another, do not enlarge it: the first
 * estimate is of differences of neighbouring nights, s = median |y[i+1] - y[i]| / (0.6745 sqrt 2),
 * and the second of the residuals within levels.
 */
#ifndef HISTORY_LEVELS_H
#define HISTORY_LEVELS_H

#include <stdbool.h>
#include <stddef.h>

/* Lower bound of SDs, for a series that never varies, as counts of instructions may: 0.01 %. */
#define NOISE_LEAST_SD 1e-4

struct noise {
	double sd;
	double rho; /* correlation of neighbouring nights, 0 to 0.8 */
};

/* SD of values[n], n > 1, by the median difference of neighbours; 0.01 % at least. */
double noise_of_differences(const double *values, size_t n);

/*
 * Writes bounded[n]: each value moved to within 3 SDs of the median of the `window` values around
 * it (at the ends, of the first and the last so many). Fewer than half of the window can be
 * outliers. A series shorter than the window stays as it is.
 */
void noise_bound(const double *values, size_t n, size_t window, double sd, double *bounded);

/* The same by windows of 9 and the SD of differences. */
void noise_bound_outliers(const double *values, size_t n, double *bounded);

/*
 * Noise within levels, which begin at 0 and at starts[nstarts], ascending. rho is corrected for its
 * bias, (1 + 4 rho) / n for each estimated mean (Kendall 1954, Marriott and Pope 1954), and shrunk
 * to 0.4 with the weight of 20 nights: few nights do not tell it.
 */
struct noise noise_within_levels(
	const double *values, size_t n, const size_t *starts, size_t nstarts);

/* Variance of the mean of many nights, in that of as many independent ones: (1 + rho) / (1 - rho).
 */
double noise_inflation(double rho);
/* Variance of the mean of n nights, in that of one: 1 / n without correlation. */
double noise_of_mean(double rho, size_t n);

/*
 * A step between two levels of a series: how large it is, how certain, and whether a straight line
 * would do as well.
 */

/* The stretch values[from..to) with a step at `at`. */
struct step {
	size_t from, at, to;
	double before, after; /* means */
	double sd;            /* within both levels, pooled */
	double beside_line;   /* z of the step in a regression on a step and a straight line */
	double line_gain;     /* how much less a straight line leaves of the squares, in sd^2 */
};

struct step step_of(const double *values, size_t from, size_t at, size_t to);

/* Standard error of after - before, where neighbouring nights correlate by rho. */
double step_error(const struct step *step, double rho);
/* Degrees of freedom of it. */
double step_df(const struct step *step, double rho);

/*
 * The 95 % interval of the place, by its posterior over all that leave `least` values on both
 * sides.
 */
void step_place_interval(const double *values, const struct step *step, double rho, size_t least,
	size_t *low, size_t *high);

/*
 * The division of a series into levels that fits best, for a penalty on each further level: optimal
 * partitioning (Jackson et al., "An algorithm for optimal partitioning of data on an interval",
 * IEEE Signal Processing Letters 12, 2005), the dynamic program that PELT (Killick, Fearnhead and
 * Eckley, JASA 107, 2012) prunes. All levels are found together: one that begins and ends hides no
 * other. Of a level of more than 512 values not all beginnings are tried, and the one found is
 * refined beside its neighbours: time grows with n log n, memory is linear. (PELT's time is
 * quadratic where few levels change.)
 */

/*
 * Minimizes the squared deviations of values[n] from the means of their levels, plus `penalty` for
 * each level after the first; a level has `least` values at least. Writes where the levels after
 * the first begin, ascending, to starts[n / least], and returns how many.
 */
size_t partition_find(const double *values, size_t n, size_t least, double penalty, size_t *starts);

/*
 * Series that do not stay on levels: those that alternate between two states, and those that drift.
 * They are described; their nights do not become change points.
 */

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
