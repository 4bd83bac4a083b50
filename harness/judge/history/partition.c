#include "history/partition.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* Sums are looked at in blocks, whose smallest is found without asking which it is. */
#define BLOCK 16

/* The dynamic program, of the first t values. */
struct program {
	const double *sums;   /* of the values; n + 1 */
	const double *shares; /* 1 / length; n + 1 */
	double *costs;        /* the least, less the squares of all values; n + 1 */
	size_t *from;         /* where its last level begins; n + 1 */
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

/* The best beginning of the level that ends at t, among those before `end`. */
static void
extend(struct program *program, size_t t, size_t end)
{
	double best = INFINITY;
	size_t from = 0;
	size_t block = 0;
	size_t u = 0;

	for (; u + BLOCK <= end; u += BLOCK) {
		const double least = least_of_block(program, u, t);

		block = least < best ? u : block;
		best = least < best ? least : best;
	}
	for (size_t i = block; i < block + BLOCK && i < u; i++) {
		if (cost_of(program, i, t) <= best) {
			from = i;
			break;
		}
	}
	for (; u < end; u++) {
		const double cost = cost_of(program, u, t);

		if (cost < best) {
			best = cost;
			from = u;
		}
	}
	program->costs[t] = best;
	program->from[t] = from;
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
	struct program program = {sums, shares, costs, from};

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

	free(sums);
	free(shares);
	free(costs);
	free(from);
	return count;
}
