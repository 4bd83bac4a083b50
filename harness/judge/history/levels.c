/*
 * The division of a series into levels by optimal partitioning, and the series that stay on none:
 * those with two states, and those that drift.
 */
#include "history/change_points.h"

#include "base/mem.h"
#include "compare/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The division into levels that fits best. */

/* Sums are looked at in blocks, whose smallest is found without asking which it is. */
#define BLOCK 16
/* Levels of fewer values are found where they cost least; of more, the begin is refined. */
#define NEAREST 512
/* So many of the beginnings further back are tried, whatever their distance. */
#define KEPT 256

/* The dynamic program, of the first t values. */
struct program {
	const double *sums;   /* of the values; n + 1 */
	const double *shares; /* 1 / length; n + 1 */
	double *costs;        /* the least, less the squares of all values; n + 1 */
	size_t *from;         /* where its last level begins; n + 1 */
	size_t kept[KEPT];    /* beginnings that were the best when they ceased to be near */
	size_t nkept;         /* added so far; of more than KEPT, the latest are there */
};

/* The cost of the values from u to t as one level. */
static inline double
cost_of(const struct program *program, size_t u, size_t t)
{
	const double sum = program->sums[t] - program->sums[u];

	return program->costs[u] - sum * sum * program->shares[t - u];
}

static double
least_of_block(const struct program *program, size_t u, size_t t)
{
	double least[4] = {INFINITY, INFINITY, INFINITY, INFINITY};

	for (size_t i = 0; i < BLOCK; i += 4) {
		for (size_t k = 0; k < 4; k++) {
			const double cost = cost_of(program, u + i + k, t);

			least[k] = cost < least[k] ? cost : least[k];
		}
	}
	return fmin(fmin(least[0], least[1]), fmin(least[2], least[3]));
}

/* The best beginning of the level that ends at t. */
struct beginning {
	double cost;
	size_t at;
};

static void
try_one(const struct program *program, size_t u, size_t t, struct beginning *best)
{
	const double cost = cost_of(program, u, t);

	if (cost < best->cost)
		*best = (struct beginning){cost, u};
}

/* Tries the beginnings from `begin` to `end`. */
static void
try_all(const struct program *program, size_t begin, size_t end, size_t t, struct beginning *best)
{
	double least = INFINITY;
	size_t block = begin;
	size_t u = begin;

	for (; u + BLOCK <= end; u += BLOCK) {
		const double of_block = least_of_block(program, u, t);

		block = of_block < least ? u : block;
		least = of_block < least ? of_block : least;
	}
	for (size_t i = block; i < block + BLOCK && i < u; i++)
		try_one(program, i, t, best);
	for (; u < end; u++)
		try_one(program, u, t, best);
}

/*
 * Among those before `end`: all of the nearest, those of before that were the best so far, and ever
 * fewer of the others, the further back, so that the work grows with n log n.
 */
static void
extend(struct program *program, size_t t, size_t end)
{
	struct beginning best = {INFINITY, 0};
	size_t last = end > NEAREST ? end - NEAREST : 0;

	try_all(program, last, end, t, &best);
	for (size_t step = 2; last > 0; step *= 2) {
		const size_t band = step / 2 * NEAREST;
		const size_t first = last > band ? last - band : 0;

		for (size_t u = (first + step - 1) / step * step; u < last; u += step)
			try_one(program, u, t, &best);
		last = first;
	}
	for (size_t i = 0; i < KEPT && i < program->nkept; i++)
		try_one(program, program->kept[i], t, &best);
	program->costs[t] = best.cost;
	program->from[t] = best.at;
	if (end > NEAREST && best.at == end - NEAREST)
		program->kept[program->nkept++ % KEPT] = best.at;
}

/*
 * Where a long level begins between its neighbours' beginnings, so that both cost least: it may
 * have been found on a coarse grid.
 */
static size_t
refine(const struct program *program, size_t before, size_t start, size_t after, size_t least)
{
	const size_t reach = 1 + 2 * (after - start) / NEAREST;
	const size_t low = start > before + least + reach ? start - reach : before + least;
	const size_t high = start + reach + least < after ? start + reach : after - least;
	double most = 0;

	for (size_t u = low; u <= high; u++) {
		const double left = program->sums[u] - program->sums[before];
		const double right = program->sums[after] - program->sums[u];
		const double square = left * left * program->shares[u - before] +
				      right * right * program->shares[after - u];

		if (u == low || square > most) {
			most = square;
			start = u;
		}
	}
	return start;
}

static size_t
list_starts(const size_t *from, size_t n, size_t *starts)
{
	size_t count = 0;

	for (size_t t = n; from[t] > 0; t = from[t])
		starts[count++] = from[t];
	for (size_t i = 0; i < count / 2; i++) {
		size_t swap = starts[i];

		starts[i] = starts[count - 1 - i];
		starts[count - 1 - i] = swap;
	}
	return count;
}

size_t
partition_find(const double *values, size_t n, size_t least, double penalty, size_t *starts)
{
	double *sums = mem_zalloc(n + 1, sizeof(*sums));
	double *shares = mem_zalloc(n + 1, sizeof(*shares));
	double *costs = mem_zalloc(n + 1, sizeof(*costs));
	size_t *from = mem_zalloc(n + 1, sizeof(*from));
	struct program program = {.sums = sums, .shares = shares, .costs = costs, .from = from};

	for (size_t i = 0; i < n; i++) {
		sums[i + 1] = sums[i] + values[i];
		shares[i + 1] = 1 / (double)(i + 1);
	}
	for (size_t t = 1; t < least && t <= n; t++)
		costs[t] = INFINITY;
	for (size_t t = least; t <= n; t++) {
		extend(&program, t, t - least + 1);
		costs[t] += penalty;
	}
	size_t count = n >= least ? list_starts(from, n, starts) : 0;

	for (size_t i = 0; i < count; i++) {
		const size_t after = i + 1 < count ? starts[i + 1] : n;

		if (after - starts[i] > NEAREST)
			starts[i] = refine(
				&program, i > 0 ? starts[i - 1] : 0, starts[i], after, least);
	}
	free(sums);
	free(shares);
	free(costs);
	free(from);
	return count;
}

/* Series that stay on no level. */

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
