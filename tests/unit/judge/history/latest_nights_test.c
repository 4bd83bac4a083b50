#include "history/latest_nights.h"

#include "unit.h"

#include <math.h>

void suite_history_latest_nights(void);

#define N 60

/*
 * Nights that alternate by one SD around their level; the last `changed` are `sds` above it.
 * *returned: whether that level is that of the nights before `fixed_from`.
 */
static size_t
find_in(size_t changed, double sds, size_t fixed_from, size_t fixed_to, bool *returned)
{
	double values[N];
	size_t starts[3] = {fixed_from, fixed_to};

	for (size_t i = 0; i < N; i++)
		values[i] = (i % 2 ? 0.01 : -0.01) + (i + changed >= N ? sds * 0.01 : 0) +
			    (i >= fixed_from && i < fixed_to ? 0.2 : 0);
	const struct leveled series = {.values = values,
		.bounded = values,
		.n = N,
		.starts = starts,
		.nstarts = fixed_to > 0 ? 2 : 0,
		.least = 5};

	return latest_nights_find(&series, returned);
}

static size_t
find(size_t changed, double sds, size_t fixed_from, size_t fixed_to)
{
	bool ignored;

	return find_in(changed, sds, fixed_from, fixed_to, &ignored);
}

static void
a_level_that_is_left_is_found_after_four_nights(void)
{
	CU_ASSERT_EQUAL(find(3, 6, 0, 0), N);
	CU_ASSERT_EQUAL(find(4, 6, 0, 0), N - 4);
	CU_ASSERT_EQUAL(find(0, 0, 0, 0), N);
}

static void
three_outliers_are_no_change(void)
{
	CU_ASSERT_EQUAL(find(1, 100, 0, 0), N);
	CU_ASSERT_EQUAL(find(3, 100, 0, 0), N);
}

/* The level before had ten nights since the fix, and was the same before it. */
static void
nights_before_a_fixed_regression_count(void)
{
	CU_ASSERT(find(10, 1.9, 30, 40) >= N - 14 && find(10, 1.9, 30, 40) <= N - 8);
	CU_ASSERT_EQUAL(find(10, 1.9, 0, 40), N);
}

/* So that more of them are needed less each: fewer at this distance are not enough. */
static void
many_nights_need_less_each(void)
{
	CU_ASSERT_EQUAL(find(12, 1.25, 0, 0), N);
	CU_ASSERT(find(21, 1.25, 0, 0) < N);
}

static void
an_earlier_level_that_is_the_same_is_told(void)
{
	bool returned = false;

	CU_ASSERT(find_in(6, 6, 30, 40, &returned) < N);
	CU_ASSERT_TRUE(returned);
	CU_ASSERT(find_in(6, 6, 0, 40, &returned) < N);
	CU_ASSERT_FALSE(returned);
}

void
suite_history_latest_nights(void)
{
	static const struct unit_case cases[] = {
		{"a_level_that_is_left_is_found_after_four_nights",
			a_level_that_is_left_is_found_after_four_nights},
		{"three_outliers_are_no_change", three_outliers_are_no_change},
		{"nights_before_a_fixed_regression_count", nights_before_a_fixed_regression_count},
		{"many_nights_need_less_each", many_nights_need_less_each},
		{"an_earlier_level_that_is_the_same_is_told",
			an_earlier_level_that_is_the_same_is_told},
		{NULL, NULL},
	};

	unit_suite("history/latest_nights", cases);
}
