#include "history/levels.h"

#include "base/mem.h"
#include "compare/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BOUND_SDS 3.0
#define WINDOW 9
/* Median absolute deviation of a normal distribution, in SDs. */
#define NORMAL_MAD 0.6744897501960817
#define RHO_PRIOR 0.4
#define RHO_PRIOR_NIGHTS 20.0
#define RHO_MAX 0.8

double
noise_of_differences(const double *values, size_t n)
{
	double *differences = mem_zalloc(n, sizeof(*differences));

	for (size_t i = 0; i + 1 < n; i++)
		differences[i] = fabs(values[i + 1] - values[i]);
	double sd = stats_median(differences, n - 1) / (NORMAL_MAD * sqrt(2));

	free(differences);
	return fmax(sd, NOISE_LEAST_SD);
}

void
noise_bound(const double *values, size_t n, size_t window, double sd, double *bounded)
{
	const double bound = BOUND_SDS * sd;

	if (n < window) {
		memcpy(bounded, values, n * sizeof(*values));
		return;
	}
	double *around = mem_zalloc(window, sizeof(*around));

	for (size_t i = 0; i < n; i++) {
		size_t from = i < window / 2 ? 0 : i - window / 2;

		if (from + window > n)
			from = n - window;
		memcpy(around, values + from, window * sizeof(*values));
		double middle = stats_median(around, window);

		bounded[i] = fmin(fmax(values[i], middle - bound), middle + bound);
	}
	free(around);
}

void
noise_bound_outliers(const double *values, size_t n, double *bounded)
{
	noise_bound(values, n, WINDOW, n < WINDOW ? 0 : noise_of_differences(values, n), bounded);
}

static double
mean_of(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum / (double)n;
}

struct noise
noise_within_levels(const double *values, size_t n, const size_t *starts, size_t nstarts)
{
	const double nlevels = (double)nstarts + 1;
	double squares = 0;
	double products = 0;

	for (size_t level = 0; level <= nstarts; level++) {
		size_t from = level > 0 ? starts[level - 1] : 0;
		size_t to = level < nstarts ? starts[level] : n;
		double mean = mean_of(values + from, to - from);

		for (size_t i = from; i < to; i++) {
			squares += (values[i] - mean) * (values[i] - mean);
			if (i > from)
				products += (values[i] - mean) * (values[i - 1] - mean);
		}
	}
	double rho = squares > 0 ? products / squares : 0;
	const double nights = (double)n;

	rho += (1 + 4 * rho) * nlevels / nights;
	rho = (nights * rho + RHO_PRIOR_NIGHTS * RHO_PRIOR) / (nights + RHO_PRIOR_NIGHTS);
	return (struct noise){
		.sd = fmax(sqrt(squares / fmax(nights - nlevels, 1)), NOISE_LEAST_SD),
		.rho = fmin(fmax(rho, 0), RHO_MAX),
	};
}

double
noise_inflation(double rho)
{
	return (1 + rho) / (1 - rho);
}

double
noise_of_mean(double rho, size_t n)
{
	double weighted = 0;
	double power = 1;

	for (size_t i = 1; i < n; i++) {
		power *= rho;
		weighted += (1 - (double)i / (double)n) * power;
	}
	return (1 + 2 * weighted) / (double)n;
}

#define TAIL 0.025

/* Sums of squares and products of the values v, a straight line x and a step h, all centred. */
struct products {
	double n;
	double mean; /* of the values */
	double vv, xv, hv;
	double xx, hh, hx;
};

static struct products
products_of(const double *values, size_t n, size_t at)
{
	const double nights = (double)n;
	const double before = (double)at;
	const double after = nights - before;
	const double middle = (nights - 1) / 2;
	struct products products = {
		.n = nights,
		.xx = nights * (nights * nights - 1) / 12,
		.hh = before * after / nights,
		.hx = before * after / 2,
	};

	for (size_t i = 0; i < n; i++)
		products.mean += values[i] / nights;
	for (size_t i = 0; i < n; i++) {
		const double value = values[i] - products.mean;

		products.vv += value * value;
		products.xv += ((double)i - middle) * value;
		products.hv += i >= at ? value : 0;
	}
	return products;
}

struct step
step_of(const double *values, size_t from, size_t at, size_t to)
{
	const struct products sums = products_of(values + from, to - from, at - from);
	const double m = (double)(at - from);
	const double k = (double)(to - at);
	/* Residual squares of a step, of a line, and of both. */
	const double step = fmax(sums.vv - sums.hv * sums.hv / sums.hh, 0);
	const double line = fmax(sums.vv - sums.xv * sums.xv / sums.xx, 0);
	const double left = sums.hh - sums.hx * sums.hx / sums.xx;
	const double size = (sums.hv - sums.hx * sums.xv / sums.xx) / left;
	const double both = fmax(line - size * size * left, 0);
	const double sd = fmax(sqrt(step / (sums.n - 2)), NOISE_LEAST_SD);
	const double both_sd = fmax(sqrt(both / (sums.n - 3)), NOISE_LEAST_SD);

	return (struct step){
		.from = from,
		.at = at,
		.to = to,
		.before = sums.mean - sums.hv / m,
		.after = sums.mean + sums.hv / k,
		.sd = sd,
		.beside_line = fabs(size) * sqrt(left) / both_sd,
		.line_gain = (step - line) / (sd * sd),
	};
}

double
step_error(const struct step *step, double rho)
{
	const double m = (double)(step->at - step->from);
	const double k = (double)(step->to - step->at);

	return step->sd * sqrt((1 / m + 1 / k) * noise_inflation(rho));
}

double
step_df(const struct step *step, double rho)
{
	return fmax((double)(step->to - step->from - 2) / noise_inflation(rho), 1);
}

/* The squares that a step at each place explains, by place from step->from; the largest. */
static double
explain(const double *values, const struct step *step, double *explained)
{
	const size_t n = step->to - step->from;
	double all = 0;
	double head = 0;
	double most = 0;

	for (size_t i = 0; i < n; i++)
		all += values[step->from + i] - step->before;
	for (size_t at = 1; at < n; at++) {
		const double m = (double)at;
		const double k = (double)(n - at);

		head += values[step->from + at - 1] - step->before;
		const double apart = (all - head) / k - head / m;

		explained[at] = m * k / (m + k) * apart * apart;
		most = fmax(most, explained[at]);
	}
	return most;
}

void
step_place_interval(const double *values, const struct step *step, double rho, size_t least,
	size_t *low, size_t *high)
{
	const size_t n = step->to - step->from;
	const double variance = step->sd * step->sd * noise_inflation(rho);
	double *weights = mem_zalloc(n, sizeof(*weights));
	const double most = explain(values, step, weights);
	double all = 0;
	double below = 0;

	for (size_t at = least; at + least <= n; at++) {
		weights[at] = exp((weights[at] - most) / (2 * variance));
		all += weights[at];
	}
	*low = step->at;
	*high = step->at;
	for (size_t at = least; at + least <= n; at++) {
		const double up_to = below + weights[at];

		if (below <= TAIL * all && up_to > TAIL * all)
			*low = step->from + at;
		if (below < (1 - TAIL) * all && up_to >= (1 - TAIL) * all)
			*high = step->from + at;
		below = up_to;
	}
	free(weights);
}

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
