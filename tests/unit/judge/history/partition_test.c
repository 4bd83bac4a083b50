#include "history/partition.h"

#include "base/random.h"

#include "unit.h"

#include <math.h>

void suite_history_partition(void);

#define N 14
#define LEAST 2

static double
squares_of(const double *values, size_t n)
{
	double mean = 0;
	double squares = 0;

	for (size_t i = 0; i < n; i++)
		mean += values[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	return squares;
}

/* With starts given as bits; INFINITY where a level is too short. */
static double
cost_of(const double *values, unsigned starts, double penalty)
{
	double cost = 0;
	size_t from = 0;

	for (size_t t = 1; t <= N; t++) {
		if (t < N && !(starts >> t & 1))
			continue;
		if (t - from < LEAST)
			return INFINITY;
		cost += squares_of(values + from, t - from) + (from > 0 ? penalty : 0);
		from = t;
	}
	return cost;
}

/* Of all 8,192 divisions of 14 values. */
static void
the_division_is_the_best_of_all(void)
{
	struct random random = {7};

	for (int round = 0; round < 20; round++) {
		double values[N];
		size_t starts[N];
		unsigned found = 0;
		double least = INFINITY;

		for (size_t i = 0; i < N; i++)
			values[i] = random_unit(&random) + (i / 5 % 2 ? 0.7 : 0);
		for (unsigned bits = 0; bits < 1U << N; bits += 2)
			least = fmin(least, cost_of(values, bits, 0.2));
		for (size_t i = partition_find(values, N, LEAST, 0.2, starts); i-- > 0;)
			found |= 1U << starts[i];
		UNIT_NEAR(cost_of(values, found, 0.2), least, 1e-12);
	}
}

/* Longer than the blocks of places that are looked at together. */
static void
levels_of_a_long_series_are_found(void)
{
	double values[200];
	size_t starts[100];

	for (size_t i = 0; i < 200; i++)
		values[i] = (i % 2 ? 0.1 : 0) + (i >= 37 && i < 95 ? 1 : 0) + (i >= 161 ? 2 : 0);
	CU_ASSERT_EQUAL_FATAL(partition_find(values, 200, 5, 1, starts), 3);
	CU_ASSERT_EQUAL(starts[0], 37);
	CU_ASSERT_EQUAL(starts[1], 95);
	CU_ASSERT_EQUAL(starts[2], 161);
}

/* Longer than what is searched place by place. */
static void
long_levels_begin_where_they_cost_least(void)
{
	static double values[9000];
	static size_t starts[9000 / 5];

	for (size_t i = 0; i < 9000; i++)
		values[i] = (i % 2 ? 0.1 : 0) + (i >= 1037 && i < 2001 ? 1 : 0) +
			    (i >= 2333 ? 0.5 : 0) + (i >= 8995 ? 1 : 0);
	CU_ASSERT_EQUAL_FATAL(partition_find(values, 9000, 5, 1, starts), 4);
	CU_ASSERT_EQUAL(starts[0], 1037);
	CU_ASSERT_EQUAL(starts[1], 2001);
	CU_ASSERT_EQUAL(starts[2], 2333);
	CU_ASSERT_EQUAL(starts[3], 8995);
}

static void
a_short_series_is_one_level(void)
{
	const double values[] = {0, 0, 0, 9, 9, 9};
	size_t starts[6];

	CU_ASSERT_EQUAL(partition_find(values, 6, 4, 0.1, starts), 0);
	CU_ASSERT_EQUAL(partition_find(values, 3, 4, 0.1, starts), 0);
	CU_ASSERT_EQUAL(partition_find(values, 6, 3, 0.1, starts), 1);
	CU_ASSERT_EQUAL(partition_find(values, 6, 3, 200, starts), 0);
}

void
suite_history_partition(void)
{
	static const struct unit_case cases[] = {
		{"the_division_is_the_best_of_all", the_division_is_the_best_of_all},
		{"levels_of_a_long_series_are_found", levels_of_a_long_series_are_found},
		{"long_levels_begin_where_they_cost_least",
			long_levels_begin_where_they_cost_least},
		{"a_short_series_is_one_level", a_short_series_is_one_level},
		{NULL, NULL},
	};

	unit_suite("history/partition", cases);
}
