/*
 * Change points: the nights at which a series of costs goes to another level.
 *
 * Values y[0..n) are logarithms of costs, in the order of time. The method is E-divisive (Matteson
 * and James, "A nonparametric approach for multiple change point analysis of multivariate data",
 * JASA 109, 2014), adapted to series of nights:
 *
 * 1. Outliers are bounded. Each value is moved to within 3 s of the median of the 7 nights around
 *    it (the first and the last 7 at the ends), s = median |y[i+1] - y[i]| / (0.6745 sqrt 2). A
 *    step of four nights is unaffected; up to three outliers among seven are bounded.
 * 2. A stretch [a, b) is divided where the energy statistic with exponent 2 is largest,
 *        q(t) = (t - a)(b - t) / (b - a) * (mean y[a..t) - mean y[t..b))^2,
 *    which is half of Matteson and James' (5), both sides at least `min_nights` long.
 * 3. It is significant where that is rare among permutations. Consecutive nights are correlated,
 *    which plain permutations would take for a change. So the innovations e[i] = r[i] - rho r[i-1]
 *    of the residuals r from both means are permuted, and a series with the same correlation and no
 *    change is made from them each time (Robbins, Gallagher, Lund and Aue, "Mean shift testing in
 *    correlated data", Journal of Time Series Analysis 32, 2011, use the same residuals). rho is
 *    the residuals' lag-1 autocorrelation, corrected for its bias, (1 + 4 rho) / n (Kendall 1954,
 *    Marriott and Pope 1954, for an estimated mean), and shrunk to 0.4 with the weight of 20
 *    nights. p = (1 + #{q* >= q}) / (1 + permutations).
 * 4. Both parts are divided further. Then each change point is tested again between its
 *    neighbours, and those are dropped, the least significant first, that are not significant there
 *    or whose change is below the threshold.
 *
 * The interval of a change is that of the difference of two means with pooled variance s^2, which
 * correlation makes larger: s^2 (1/m + 1/n) (1 + rho) / (1 - rho), Student's t with
 * (m + n - 2)(1 - rho) / (1 + rho) degrees of freedom.
 *
 * Results of tests/bench/trend_rates.sh, from 100 years per condition with 3 % outliers of +20 to
 * +100 % and two changes of the CPU: false change points per year, at the end of the series and in
 * all of its nights; and how often a step of 5 % is found within 5 nights.
 *
 *     noise  lag-1   at the end  all nights  found
 *     1 %      0       0.01        0.15      100 %
 *     1 %      0.3     0           0.19       99 %
 *     1 %      0.5     0           0.23       95 %
 *     1.5 %    0.3     0.01        0.34       76 %
 *     2 %      0.3     0.01        0.53       35 %
 *     2 %      0.5     0.02        0.80       23 %
 *     3 %      0.5     0.01        0.77        3 %
 */
#ifndef COMPARE_CHANGE_POINTS_H
#define COMPARE_CHANGE_POINTS_H

#include "base/allowance.h"

#include <stddef.h>
#include <stdint.h>

struct change_search {
	double alpha;          /* largest p of a change point */
	double threshold;      /* smallest change, as a ratio: 0.02 */
	unsigned permutations; /* at least 1 / alpha - 1 */
	unsigned min_nights;   /* shortest part, at least 2 */
	uint64_t seed;
	/*
	 * Nights of permuted series that may be looked at; where they are used up the search ends,
	 * and its result is none. NULL: no limit.
	 */
	struct allowance *nights;
};

/* 0.001, 2 %, 1999 permutations, 4 nights. */
extern const struct change_search change_search_default;

struct change_point {
	size_t at;           /* the first night on the new level */
	double change;       /* level after over level before, minus 1 */
	double low, high;    /* 95 % interval of `change` */
	double before_level; /* mean of ln(cost) of the part before and of the part after */
	double after_level;
	double p;
};

/*
 * Finds the change points of values[n], all finite, and returns how many; *points, sorted by `at`,
 * is to be freed. None in fewer than change_points_least_nights(). The same input gives the same
 * result.
 */
size_t change_points_find(const double *values, size_t n, const struct change_search *search,
	struct change_point **points);

/* 2 min_nights + 6: fewer do not tell the scatter of the nights. */
size_t change_points_least_nights(const struct change_search *search);

/* Step 1 alone: writes bounded[n]. */
void change_points_bound(const double *values, size_t n, double *bounded);
/* Step 2 alone, of values[n]: the place and *q there; 0 where n is too short. */
size_t change_points_divide(const double *values, size_t n, size_t min_nights, double *q);

#endif
