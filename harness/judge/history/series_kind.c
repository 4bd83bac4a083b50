#include "history/series_kind.h"

#include "base/mem.h"
#include "compare/stats.h"
#include "history/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define APART_SDS 5.0
#define LEAST_SHARE 0.1
/* The part of the nights at each end of their order that counts as outliers. */
#define TRIMMED 0.05
#define DRIFT_NIGHTS 14
#define DRIFT_P 0.001
#define DRIFT_TAIL 0.025 /* of the interval of its slope */

static int
ascending(const void *a, const void *b)
{
	const double x = *(const double *)a;
	const double y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
sum_of(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

/* How many of the sorted values are in the lower of the two clusters with the least squares. */
static size_t
split(const double *sorted, size_t n)
{
	const double all = sum_of(sorted, n);
	double head = 0;
	double most = -1;
	size_t best = 0;

	for (size_t i = 1; i < n; i++) {
		head += sorted[i - 1];
		const double m = (double)i;
		const double k = (double)(n - i);
		const double apart = (all - head) / k - head / m;

		if (m * k * apart * apart > most) {
			most = m * k * apart * apart;
			best = i;
		}
	}
	return best;
}

/* SD within one of the two clusters. */
static double
sd_within(const double *sorted, size_t n, double mean)
{
	double squares = 0;

	for (size_t i = 0; i < n; i++)
		squares += (sorted[i] - mean) * (sorted[i] - mean);
	return sqrt(squares / fmax((double)n - 1, 1));
}

/* Whether more than half of the nights of the rarer state are in runs shorter than a level. */
static bool
alternates(const double *values, size_t n, double border, bool rarer_is_high, size_t least)
{
	size_t rarer = 0;
	size_t in_short_runs = 0;
	size_t run = 0;

	for (size_t i = 0; i <= n; i++) {
		if (i < n && (values[i] > border) == rarer_is_high) {
			run++;
			continue;
		}
		rarer += run;
		in_short_runs += run < least ? run : 0;
		run = 0;
	}
	return rarer >= 2 * least && 2 * in_short_runs > rarer;
}

struct two_states
two_states_of(const double *values, size_t n, size_t least)
{
	struct two_states states = {0};

	if (n < 2 * least)
		return states;
	double *all = mem_zalloc(n, sizeof(*all));
	const size_t trimmed = (size_t)(TRIMMED * (double)n);
	const size_t kept = n - 2 * trimmed;
	const double *sorted = all + trimmed;

	memcpy(all, values, n * sizeof(*all));
	qsort(all, n, sizeof(*all), ascending);
	const size_t low = split(sorted, kept);
	const double share = (double)(kept - low) / (double)kept;

	states.low = sum_of(sorted, low) / (double)low;
	states.high = sum_of(sorted + low, kept - low) / (double)(kept - low);
	states.high_share = share;
	const double sd = fmax(sd_within(sorted, low, states.low),
		sd_within(sorted + low, kept - low, states.high));
	const double border = (sorted[low - 1] + sorted[low]) / 2;

	states.found = fmin(share, 1 - share) >= LEAST_SHARE &&
		       states.high - states.low >= APART_SDS * fmax(sd, NOISE_LEAST_SD) &&
		       alternates(values, n, border, share <= 0.5, least);
	free(all);
	return states;
}

void
two_states_remove(const struct two_states *states, double *values, size_t n)
{
	const double border = (states->low + states->high) / 2;

	for (size_t i = 0; i < n; i++)
		values[i] -= values[i] > border ? states->high - states->low : 0;
}

struct drift
drift_of(const double *values, size_t n, double threshold)
{
	struct drift drift = {0};

	if (n < DRIFT_NIGHTS)
		return drift;
	double *residuals = mem_zalloc(n, sizeof(*residuals));
	const double nights = (double)n;
	const double middle = (nights - 1) / 2;
	const double squares = nights * (nights * nights - 1) / 12;
	double products = 0;

	noise_bound_outliers(values, n, residuals);
	for (size_t i = 0; i < n; i++)
		products += ((double)i - middle) * residuals[i];
	drift.a_night = products / squares;
	for (size_t i = 0; i < n; i++)
		residuals[i] -= drift.a_night * ((double)i - middle);
	const struct noise noise = noise_within_levels(residuals, n, NULL, 0);
	const double inflation = noise_inflation(noise.rho);
	const double error = noise.sd * sqrt(inflation / squares);
	const double df = fmax((nights - 2) / inflation, 1);
	const double half = error * stats_t_quantile(DRIFT_TAIL, df);
	const double whole = fabs(drift.a_night) * (nights - 1);

	drift.low = drift.a_night - half;
	drift.high = drift.a_night + half;
	drift.found = whole >= fmax(log1p(threshold), noise.sd) &&
		      fabs(drift.a_night) / error >= stats_t_quantile(DRIFT_P / 2, df);
	free(residuals);
	return drift;
}
