#include "history/change_points.h"

#include "base/random.h"

#include "unit.h"

#include <math.h>
#include <stdbool.h>

void suite_history_change_points(void);

/*
 * Annual flow of the Nile at Aswan, 1871 to 1970 (Cobb, "The problem of the Nile: conditional
 * solution to a changepoint problem", Biometrika 65, 1978): the change is after 1898.
 */
static const double nile[] = {1120, 1160, 963, 1210, 1160, 1160, 813, 1230, 1370, 1140, 995, 935,
	1110, 994, 1020, 960, 1180, 799, 958, 1140, 1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100,
	774, 840, 874, 694, 940, 833, 701, 916, 692, 1020, 1050, 969, 831, 726, 456, 824, 702, 1120,
	1100, 832, 764, 821, 768, 845, 864, 862, 698, 845, 744, 796, 1040, 759, 781, 865, 845, 944,
	984, 897, 822, 1010, 771, 676, 649, 846, 812, 742, 801, 1040, 860, 874, 848, 890, 744, 749,
	838, 1050, 918, 986, 797, 923, 975, 815, 1020, 906, 901, 1170, 912, 746, 919, 718, 714,
	740};

#define NILE_YEARS (sizeof(nile) / sizeof(nile[0]))
#define NIGHTS 365

static double
normal(struct random *random)
{
	double u = random_unit(random);
	double v = random_unit(random);

	return sqrt(-2 * log(1 - u)) * cos(2 * 3.14159265358979324 * v);
}

/* ln(cost) with noise of SD `sd` and lag-1 correlation 0.3, and outliers of +20 to 100 %. */
static void
make_nights(double *values, size_t n, double sd, struct random *random)
{
	const double rho = 0.3;
	double noise = sd * normal(random);

	for (size_t i = 0; i < n; i++) {
		values[i] = noise;
		if (random_unit(random) < 0.03)
			values[i] += log(1.2 + 0.8 * random_unit(random));
		noise = rho * noise + sqrt(1 - rho * rho) * sd * normal(random);
	}
}

static void
step(double *values, size_t from, size_t to, double change)
{
	for (size_t i = from; i < to; i++)
		values[i] += log1p(change);
}

/* tests/unit/judge/history/reference.py */
static void
the_nile_changed_after_1898(void)
{
	double values[NILE_YEARS];
	struct change_point *points;

	for (size_t i = 0; i < NILE_YEARS; i++)
		values[i] = log(nile[i]);
	CU_ASSERT_EQUAL_FATAL(
		change_points_find(values, NILE_YEARS, &change_search_default, &points), 1);
	CU_ASSERT_EQUAL(points[0].at, 28);
	CU_ASSERT_EQUAL(points[0].at_low, 26);
	CU_ASSERT_EQUAL(points[0].at_high, 30);
	UNIT_NEAR(points[0].change, -0.22588519436, 1e-10);
	UNIT_NEAR(points[0].low, -0.2829740381, 1e-9);
	UNIT_NEAR(points[0].high, -0.164250997659, 1e-9);
	UNIT_NEAR(points[0].p, 6.75842e-07, 1e-11);
	free(points);
}

/* Among three changes, the second is half of the threshold: the first and the third stay. */
static void
the_change_that_is_dropped_is_the_one_below_the_threshold(void)
{
	const struct change_search search = {.threshold = 0.02, .min_nights = 5};
	double values[90];
	struct change_point *points;

	for (size_t i = 0; i < 90; i++)
		values[i] = (i % 2 ? 0.0005 : 0) + (i < 20 ? 0 : 0.05) + (i < 40 ? 0 : 0.01) +
			    (i < 65 ? 0 : 0.04);
	CU_ASSERT_EQUAL_FATAL(change_points_find(values, 90, &search, &points), 2);
	CU_ASSERT_EQUAL(points[0].at, 20);
	CU_ASSERT_EQUAL(points[1].at, 65);
	/* The levels beside it are those of the joined part: 20 nights of 45 are lower. */
	UNIT_NEAR(points[0].after_level - points[0].before_level, 0.05 + 0.01 * 25 / 45, 1e-4);
	UNIT_NEAR(points[1].after_level - points[1].before_level, 0.05 - 0.01 * 25 / 45, 1e-4);
	free(points);
}

static void
two_steps_are_found_where_they_are(void)
{
	struct random random = {11};
	double values[120];
	struct change_point *points;

	make_nights(values, 120, 0.01, &random);
	step(values, 40, 120, 0.10);
	step(values, 80, 120, -0.08);
	CU_ASSERT_EQUAL_FATAL(change_points_find(values, 120, &change_search_default, &points), 2);
	CU_ASSERT_TRUE(points[0].at >= 39 && points[0].at <= 41);
	CU_ASSERT_TRUE(points[1].at >= 79 && points[1].at <= 81);
	CU_ASSERT_TRUE(points[0].low < 0.10 && points[0].high > 0.10);
	CU_ASSERT_TRUE(points[1].low < -0.08 && points[1].high > -0.08);
	free(points);
}

/* As counts of instructions may be: sums of them differ in their last digits. */
static void
nights_that_are_all_alike_have_no_change_point(void)
{
	double values[2000];
	struct change_point *points;

	for (size_t i = 0; i < 2000; i++)
		values[i] = log(1000);
	CU_ASSERT_EQUAL(change_points_find(values, 2000, &change_search_default, &points), 0);
	free(points);
}

static void
the_same_input_gives_the_same_result(void)
{
	struct random random = {5};
	double values[100];
	struct change_point *points[2];

	make_nights(values, 100, 0.02, &random);
	step(values, 70, 100, 0.06);
	size_t n = change_points_find(values, 100, &change_search_default, &points[0]);

	CU_ASSERT_EQUAL_FATAL(
		change_points_find(values, 100, &change_search_default, &points[1]), n);
	CU_ASSERT_EQUAL(n, 1);
	CU_ASSERT_EQUAL(memcmp(points[0], points[1], n * sizeof(*points[0])), 0);
	free(points[0]);
	free(points[1]);
}

static void
exact_counts_change_in_one_night(void)
{
	double values[20];
	struct change_point *points;

	for (size_t i = 0; i < 20; i++)
		values[i] = i < 12 ? 10 : 10 + log1p(0.05);
	CU_ASSERT_EQUAL_FATAL(change_points_find(values, 20, &change_search_default, &points), 1);
	CU_ASSERT_EQUAL(points[0].at, 12);
	UNIT_NEAR(points[0].change, 0.05, 1e-12);
	free(points);
}

static void
a_change_below_the_threshold_is_none(void)
{
	double values[60];
	struct change_point *points;

	for (size_t i = 0; i < 60; i++)
		values[i] = (i % 2 ? 0.001 : 0) + (i < 30 ? 0 : 0.004);
	CU_ASSERT_EQUAL(change_points_find(values, 60, &change_search_default, &points), 0);
	free(points);
	struct change_search search = change_search_default;

	search.threshold = 0.003;
	CU_ASSERT_EQUAL(change_points_find(values, 60, &search, &points), 1);
	free(points);
}

static void
too_few_nights_have_no_change_point(void)
{
	double values[14] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1};
	struct change_point *points;

	CU_ASSERT_EQUAL(change_points_least_nights(&change_search_default), 14);
	CU_ASSERT_EQUAL(change_points_find(values, 13, &change_search_default, &points), 0);
	free(points);
	CU_ASSERT_EQUAL(change_points_find(values, 14, &change_search_default, &points), 1);
	free(points);
	CU_ASSERT_EQUAL(change_points_find(values, 0, &change_search_default, &points), 0);
	free(points);
}

/* What is promised, on fewer years than tests/bench/trend_rates.sh simulates. */
static void
years_without_a_change_have_hardly_a_change_point(void)
{
	struct random random = {17};
	size_t found = 0;

	for (int series = 0; series < 60; series++) {
		double values[NIGHTS];
		struct change_point *points;

		make_nights(values, NIGHTS, series % 2 ? 0.01 : 0.03, &random);
		found += change_points_find(values, NIGHTS, &change_search_default, &points);
		free(points);
	}
	/* One each would be allowed. */
	CU_ASSERT_TRUE(found <= 3);
}

/* A live +5 % of `nights`, in noise of SD `sd`, after an earlier regression that was fixed. */
static unsigned
count_found_after_a_fix(double sd, size_t nights)
{
	struct random random = {23};
	unsigned found = 0;

	for (int series = 0; series < 100; series++) {
		double values[NIGHTS];
		struct change_point *points;
		size_t at = 110 + (size_t)series * 2;

		for (size_t i = 0; i < at + nights; i++)
			values[i] = sd * normal(&random);
		step(values, 20, 50, 0.20);
		step(values, at, at + nights, 0.05);
		size_t n = change_points_find(values, at + nights, &change_search_default, &points);

		found += n > 0 && points[n - 1].at_high + 2 >= at && points[n - 1].change > 0;
		free(points);
	}
	return found;
}

static void
a_live_step_of_5_percent_is_found_after_a_fixed_one(void)
{
	CU_ASSERT(count_found_after_a_fix(0.01, 5) >= 90);
	CU_ASSERT(count_found_after_a_fix(0.01, 7) >= 99);
	CU_ASSERT(count_found_after_a_fix(0.03, 21) >= 90);
}

/* Nights 40 to 79 of 120 were slower by as much as the last seven are. */
static void
a_fixed_regression_does_not_hide_a_live_one(void)
{
	struct random random = {31};

	for (int series = 0; series < 50; series++) {
		double values[120];
		struct change_point *points;

		for (size_t i = 0; i < 120; i++)
			values[i] = 0.01 * normal(&random);
		step(values, 40, 80, 0.12);
		step(values, 113, 120, 0.12);
		CU_ASSERT_EQUAL_FATAL(
			change_points_find(values, 120, &change_search_default, &points), 3);
		CU_ASSERT_EQUAL(points[2].at, 113);
		free(points);
	}
}

static void
a_drift_has_no_change_point_but_its_step_has(void)
{
	struct random random = {37};

	for (int series = 0; series < 50; series++) {
		double values[NIGHTS];
		struct change_point *points;

		for (size_t i = 0; i < NIGHTS; i++)
			values[i] = 0.01 * normal(&random) + 0.15 * (double)i / NIGHTS;
		CU_ASSERT_EQUAL(
			change_points_find(values, NIGHTS, &change_search_default, &points), 0);
		free(points);
		step(values, 180, NIGHTS, 0.12);
		CU_ASSERT_EQUAL_FATAL(
			change_points_find(values, NIGHTS, &change_search_default, &points), 1);
		CU_ASSERT(points[0].at >= 179 && points[0].at <= 181);
		free(points);
	}
}

/* The interval of the place holds it in 95 % of the series, or more: places are whole nights. */
static void
the_interval_of_the_place_holds_it(void)
{
	struct random random = {41};
	unsigned held = 0;
	unsigned found = 0;

	for (int series = 0; series < 200; series++) {
		double values[120];
		struct change_point *points;

		make_nights(values, 120, 0.02, &random);
		step(values, 70, 120, 0.05);
		if (change_points_find(values, 120, &change_search_default, &points) == 1) {
			found++;
			held += points[0].at_low <= 70 && points[0].at_high >= 70;
		}
		free(points);
	}
	CU_ASSERT(found >= 180);
	CU_ASSERT(held * 100 >= found * 92);
}

void
suite_history_change_points(void)
{
	static const struct unit_case cases[] = {
		{"the_nile_changed_after_1898", the_nile_changed_after_1898},
		{"the_change_that_is_dropped_is_the_one_below_the_threshold",
			the_change_that_is_dropped_is_the_one_below_the_threshold},
		{"two_steps_are_found_where_they_are", two_steps_are_found_where_they_are},
		{"nights_that_are_all_alike_have_no_change_point",
			nights_that_are_all_alike_have_no_change_point},
		{"the_same_input_gives_the_same_result", the_same_input_gives_the_same_result},
		{"exact_counts_change_in_one_night", exact_counts_change_in_one_night},
		{"a_change_below_the_threshold_is_none", a_change_below_the_threshold_is_none},
		{"too_few_nights_have_no_change_point", too_few_nights_have_no_change_point},
		{"years_without_a_change_have_hardly_a_change_point",
			years_without_a_change_have_hardly_a_change_point},
		{"a_live_step_of_5_percent_is_found_after_a_fixed_one",
			a_live_step_of_5_percent_is_found_after_a_fixed_one},
		{"a_fixed_regression_does_not_hide_a_live_one",
			a_fixed_regression_does_not_hide_a_live_one},
		{"a_drift_has_no_change_point_but_its_step_has",
			a_drift_has_no_change_point_but_its_step_has},
		{"the_interval_of_the_place_holds_it", the_interval_of_the_place_holds_it},
		{NULL, NULL},
	};

	unit_suite("history/change_points", cases);
}
