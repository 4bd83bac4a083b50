/*
 * Rates of simulated gates, with exact limits.
 */
#ifndef BENCH_RATES_H
#define BENCH_RATES_H

#include "compare/stats.h"

#include <stdio.h>

/* P(at least `count` of `trials`), each with this rate: by F, as the beta distribution. */
static inline double
rates_at_least(size_t count, size_t trials, double rate)
{
	const double a = (double)count;
	const double b = (double)(trials - count + 1);

	return 1 - stats_f_survival(b * rate / (a * (1 - rate)), 2 * a, 2 * b);
}

/* The rate with which at least `count` of `trials` have this probability. */
static inline double
rates_with(size_t count, size_t trials, double probability)
{
	double low = 0;
	double high = 1;

	for (int i = 0; i < 60; i++) {
		const double rate = (low + high) / 2;

		*(rates_at_least(count, trials, rate) < probability ? &low : &high) = rate;
	}
	return low;
}

/* "12 (0.31 to 1.05 %)", with the exact 95 % interval (Clopper and Pearson, Biometrika 26, 1934).
 */
static inline void
rates_put(size_t count, size_t trials)
{
	const double low = count > 0 ? rates_with(count, trials, 0.025) : 0;
	const double high = count < trials ? rates_with(count + 1, trials, 0.975) : 1;

	printf("%zu (%.3g to %.3g %%)", count, 100 * low, 100 * high);
}

#endif
