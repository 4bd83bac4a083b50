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

#include <stdbool.h>
#include <stddef.h>

/*
 * The levels of a series of nights: how much the nights vary around them, the division into levels
 * that fits best, the step from one level to the next, and series that stay on none.
 *
 * The noise is the standard deviation of the nights, how far one night resembles the one before,
 * and the bound of outliers. Levels, and changes from one to another, do not enlarge it: the first
 * estimate is of differences of neighbouring nights, s = median |y[i+1] - y[i]| / (0.6745 sqrt 2),
 * and the second of the residuals within levels.
 */

/* Lower bound of SDs, for a series that never varies, as counts of instructions may: 0.01 %. */
#define NOISE_LEAST_SD 1e-4

struct noise {
	double sd;
	double rho; /* correlation of neighbouring nights, 0 to 0.8 */
};

/* SD of values[n], n > 1, by the median difference of neighbours; 0.01 % at least. */
double noise_of_differences(const double *values, size_t n);

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
