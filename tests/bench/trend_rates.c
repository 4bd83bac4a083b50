/*
 * Simulated years of nights: noise with lag-1 correlation, 3 % outlier nights of +20 to +100 %, and
 * two changes of the runner's CPU, which make two series of the year, as history/trend.h has it.
 * How many change points are found where nothing changed, and how often a step of 5 % is found
 * within 5 nights.
 *
 * usage: trend_rates SERIES
 */
#include "base/random.h"
#include "history/change_points.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NIGHTS 365
#define THIRD (NIGHTS / 3)
#define OUTLIERS 0.03
#define FOUND_WITHIN 5
/* Change points so close to one another are the same, seen on several nights. */
#define SAME_NIGHTS 10
#define LEAST_BEFORE 14

static double
normal(struct random *random)
{
	double u = random_unit(random);
	double v = random_unit(random);

	return sqrt(-2 * log(1 - u)) * cos(2 * 3.14159265358979324 * v);
}

/* ln(cost), of SD `sd` and lag-1 correlation `rho`. */
static void
make_year(double *values, double sd, double rho, struct random *random)
{
	double noise = sd * normal(random);

	for (size_t i = 0; i < NIGHTS; i++) {
		values[i] = noise;
		if (random_unit(random) < OUTLIERS)
			values[i] += log(1.2 + 0.8 * random_unit(random));
		noise = rho * noise + sqrt(1 - rho * rho) * sd * normal(random);
	}
}

static size_t
count(const double *values, size_t n)
{
	struct change_point *points;
	size_t found = change_points_find(values, n, &change_search_default, &points);

	free(points);
	return found;
}

/* Distinct change points that were there on any night, each found with the nights until then. */
static size_t
count_nightly(const double *values, size_t n)
{
	size_t known[NIGHTS];
	size_t nknown = 0;

	for (size_t night = 1; night <= n; night++) {
		struct change_point *points;
		size_t found = change_points_find(values, night, &change_search_default, &points);

		for (size_t i = 0; i < found; i++) {
			size_t k = 0;

			while (k < nknown && (known[k] > points[i].at + SAME_NIGHTS ||
						     points[i].at > known[k] + SAME_NIGHTS))
				k++;
			if (k == nknown && nknown < NIGHTS)
				known[nknown++] = points[i].at;
		}
		free(points);
	}
	return nknown;
}

/* The nights on the first CPU, then on another, then on the first again: two series. */
static size_t
count_of_year(const double *values, size_t (*counted)(const double *, size_t))
{
	double first[NIGHTS];
	size_t rest = NIGHTS - 2 * THIRD;

	memcpy(first, values, THIRD * sizeof(*values));
	memcpy(first + THIRD, values + (size_t)2 * THIRD, rest * sizeof(*values));
	return counted(first, THIRD + rest) + counted(values + THIRD, THIRD);
}

/* Whether a step of 5 % at night `at` is found FOUND_WITHIN nights later. */
static bool
is_found(double *values, size_t at)
{
	struct change_point *points;
	bool seen = false;

	for (size_t i = at; i < at + FOUND_WITHIN; i++)
		values[i] += log1p(0.05);
	size_t found =
		change_points_find(values, at + FOUND_WITHIN, &change_search_default, &points);

	for (size_t i = 0; i < found; i++)
		seen = seen || (points[i].at + 2 >= at && points[i].change > 0);
	free(points);
	return seen;
}

static void
simulate(double sd, double rho, unsigned series, uint64_t seed)
{
	struct random random = {seed};
	double at_end = 0;
	double nightly = 0;
	double found = 0;

	for (unsigned i = 0; i < series; i++) {
		double values[NIGHTS];

		make_year(values, sd, rho, &random);
		at_end += (double)count_of_year(values, count);
		nightly += (double)count_of_year(values, count_nightly);
		double part = random_unit(&random) * (NIGHTS - LEAST_BEFORE - FOUND_WITHIN);

		found += is_found(values, LEAST_BEFORE + (size_t)part);
	}
	printf("%4.2f %%  %3.1f  %17.3f  %20.3f  %18.3f\n", 100 * sd, rho, at_end / series,
		nightly / series, found / series);
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	static const double sds[] = {0.01, 0.0125, 0.015, 0.02, 0.03};
	static const double rhos[] = {0, 0.3, 0.5};
	unsigned series = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;

	if (series == 0)
		return 64;
	printf("noise   rho  false at year end  false, night by night  +5 %% in 5 nights\n");
	for (size_t s = 0; s < sizeof(sds) / sizeof(sds[0]); s++) {
		for (size_t r = 0; r < sizeof(rhos) / sizeof(rhos[0]); r++)
			simulate(sds[s], rhos[r], series, 100 * s + r);
	}
	return 0;
}
