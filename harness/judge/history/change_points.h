/*
 * Change points: the nights at which a series of costs goes to another level.
 *
 * Values y[0..n) are logarithms of costs, in the order of time.
 *
 * 1. Outliers are bounded, by windows of 2 min_nights - 1 nights: a level of min_nights
 *    is unaffected, anything shorter is an outlier.
 * 2. All levels are found together by an optimal partition with the penalty
 *    4 s^2 ln n for each, s being the SD of differences: 2 s^2 ln n (BIC, Yao, "Estimating the
 *    number of change-points via Schwarz' criterion", Statistics and Probability Letters 6, 1988)
 *    takes the SD as known. It is done a second time with the variance and correlation of nights
 *    within the levels of the first: s^2 (1 + rho) / (1 - rho).
 * 3. Each change point is tested between its neighbours, and the weakest is dropped until all pass.
 *    Its change is `threshold` at least, and one SD of the nights around it: smaller ones are not
 *    visible in any night. And it is a step, not a part of a drift: its z is 3.5 at least in the
 *    regression on a step and a straight line, both over the two levels and over equally many
 *    nights on either side.
 * 4. The last one leads to the current level, which may have begun a few nights ago: it passes with
 *    z = 4.5 for the difference of the two levels where a step fits better than a line.
 * 5. The latest 4 to 21 nights are tested against the current level (latest_nights_find()): those
 * that step 2 cannot tell from outliers yet.
 *
 * Standard errors of single nights are not used: weights by them made results on the marked series
 * of SAP HANA (tests/bench/trend_marks.sh) worse, since errors are large where a night is an
 * outlier, which is bounded anyway.
 *
 * The interval of a change is that of the difference of two means with pooled variance s^2, which
 * correlation makes larger: s^2 (1/m + 1/n) (1 + rho) / (1 - rho), Student's t with
 * (m + n - 2)(1 - rho) / (1 + rho) degrees of freedom. p is of the same t, corrected for all places
 * of the series (Bonferroni). The place's interval holds 95 % of its posterior, which is
 * proportional to exp(-RSS / (2 s^2 (1 + rho) / (1 - rho))) over the places between both
 * neighbours (Smith, "A Bayesian approach to inference about a change-point in a sequence of random
 * variables", Biometrika 62, 1975).
 *
 * Results of tests/bench/trend_rates.sh, from 60 years per condition with 3 % outliers of +20 to
 * +100 % and two changes of the CPU: false change points per year, at the end of the series and in
 * all of its nights; and how often a step of 5 % is found within 5 nights.
 *
 *     noise  lag-1   at the end  all nights  found
 *     1 %      0       0.02        0.13      100 %
 *     1 %      0.3     0           0.15       98 %
 *     1 %      0.5     0           0.33       93 %
 *     1.5 %    0.3     0           0.18       73 %
 *     2 %      0.3     0           0.23       22 %
 *     2 %      0.5     0           0.32       20 %
 *     3 %      0.5     0           0.48        3 %
 *
 * Results of tests/bench/trend_shapes.sh, from 200 histories of 30 shapes: 99.7 % right. A live +5
 * % of 7 nights in 1 % of noise is found in all, after a fixed regression too; one of 21 nights in
 * 3 % in 98 %, and in 94 % where a regression was fixed 19 nights before. 2,000 nights of 200
 * functions take 1.2 s.
 *
 * tests/bench/trend_marks.sh, on 231 series of SAP HANA in which five people marked change points:
 * 271 of 336 agreed points are found, 56 that nobody marked, and alarms in 3 of 42 quiet series.
 */
#ifndef HISTORY_CHANGE_POINTS_H
#define HISTORY_CHANGE_POINTS_H

#include <stddef.h>

struct change_search {
	double threshold;    /* smallest change, as a ratio: 0.005 */
	unsigned min_nights; /* shortest level, at least 4 */
};

/* 0.5 %, 5 nights. */
extern const struct change_search change_search_default;

struct change_point {
	size_t at;     /* the first night on the new level */
	size_t at_low; /* 95 % interval of `at` */
	size_t at_high;
	double change;       /* level after over level before, minus 1 */
	double low, high;    /* 95 % interval of `change` */
	double before_level; /* mean of ln(cost) of the level before and of the level after */
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

/* 2 min_nights + 4: fewer do not show the scatter of the nights. */
size_t change_points_least_nights(const struct change_search *search);

#endif
