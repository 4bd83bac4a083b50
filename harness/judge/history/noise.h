/*
 * The noise of a series of nights: the standard deviation of the nights about their level, how far
 * one night resembles the one before, and the bound of outliers. Levels, and changes from one to
 * another, do not enlarge it: the first estimate is of differences of neighbouring nights, s =
 * median |y[i+1] - y[i]| / (0.6745 sqrt 2), and the second of the residuals within levels.
 */
#ifndef HISTORY_NOISE_H
#define HISTORY_NOISE_H

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

/*
 * Writes bounded[n]: each value moved to within 3 SDs, by differences, of the median of the 9
 * values around it (at the ends, of the first and the last 9). A series shorter than that stays as
 * it is.
 */
void noise_bound_outliers(const double *values, size_t n, double *bounded);

/*
 * Noise within levels, which begin at 0 and at starts[nstarts], ascending. rho is corrected for its
 * bias, (1 + 4 rho) / n for each estimated mean (Kendall 1954, Marriott and Pope 1954), and shrunk
 * to 0.4 with the weight of 20 nights: few nights do not show it.
 */
struct noise noise_within_levels(
	const double *values, size_t n, const size_t *starts, size_t nstarts);

/* Variance of the mean of many nights, in that of as many independent ones: (1 + rho) / (1 - rho).
 */
double noise_inflation(double rho);
/* Variance of the mean of n nights, in that of one: 1 / n without correlation. */
double noise_of_mean(double rho, size_t n);

#endif
