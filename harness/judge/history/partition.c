#include "history/partition.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* Costs are compared in blocks: first which block has the least, then which value of that block. */
#define BLOCK 16
/* Of levels of up to so many values every beginning is tried; that of a longer one is refined. */
#define NEAREST 512
/* So many of the beginnings further back are tried, whatever their distance: struct program. */
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
