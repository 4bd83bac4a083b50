#include "compare/change_points.h"

#include "base/random.h"

#include "unit.h"

#include <math.h>
#include <stdbool.h>

void suite_compare_change_points(void);

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

/* The energy statistic by its definition: mean distances over all pairs, distance (x - y)^2. */
static double
mean_distance(const double *x, size_t m, const double *y, size_t k)
{
	double sum = 0;

	for (size_t i = 0; i < m; i++) {
		for (size_t j = 0; j < k; j++)
			sum += (x[i] - y[j]) * (x[i] - y[j]);
	}
	return sum / (double)m / (double)k;
}

static double
energy(const double *values, size_t n, size_t at)
{
	const double *rest = values + at;
	size_t k = n - at;
	double apart = 2 * mean_distance(values, at, rest, k) -
		       mean_distance(values, at, values, at) - mean_distance(rest, k, rest, k);

	return (double)at * (double)k / (double)n * apart / 2;
}

static void
the_place_is_where_the_energy_statistic_is_largest(void)
{
	struct random random = {3};

	for (int round = 0; round < 20; round++) {
		double values[40];
		double largest = 0;
		size_t place = 0;
		double q;

		make_nights(values, 40, 0.02, &random);
		for (size_t at = 4; at <= 36; at++) {
			double here = energy(values, 40, at);

			if (here > largest) {
				largest = here;
				place = at;
			}
		}
		CU_ASSERT_EQUAL(change_points_divide(values, 40, 4, &q), place);
		UNIT_NEAR(q, largest, 1e-12);
	}
}

/* Sums of the published values: 30737 over 28 years, 61198 over 72. */
static void
the_nile_changed_after_1898(void)
{
	double values[NILE_YEARS];
	struct change_point *points;
	double q;

	CU_ASSERT_EQUAL(change_points_divide(nile, NILE_YEARS, 4, &q), 28);
	UNIT_NEAR(q, 28.0 * 72 / 100 * pow(30737.0 / 28 - 61198.0 / 72, 2), 1e-6);
	for (size_t i = 0; i < NILE_YEARS; i++)
		values[i] = log(nile[i]);
	CU_ASSERT_EQUAL_FATAL(
		change_points_find(values, NILE_YEARS, &change_search_default, &points), 1);
	CU_ASSERT_EQUAL(points[0].at, 28);
	CU_ASSERT_TRUE(points[0].p <= 0.001);
	/* 850 / 1098 - 1 = -22.6 %. */
	CU_ASSERT_TRUE(points[0].low < -0.226 && points[0].high > -0.226);
	CU_ASSERT_TRUE(points[0].high < -0.1);
	free(points);
}

static void
three_outliers_of_seven_are_bounded_and_a_step_is_not(void)
{
	double values[] = {0, 0.01, 0, 0.01, 0, 0.01, 0, 0.01, 1, 0.9, 0.8, 0, 0.01, 0, 0.01, 0};
	double steps[] = {0, 0.01, 0, 0.01, 0, 0.01, 0, 0.01, 0, 0.01, 0, 0.01, 1, 1.01, 1, 1.01};
	double bounded[16];
	/* All differences but those at the outliers are 0.01. */
	const double sd = 0.01 / (0.6744897501960817 * sqrt(2));

	/* Seven are enough. */
	change_points_bound(values + 2, 7, bounded);
	UNIT_NEAR(bounded[6], 0.01 + 3 * sd, 1e-12);
	change_points_bound(values + 3, 6, bounded);
	UNIT_NEAR(bounded[5], 1, 0);
	change_points_bound(values, 16, bounded);
	for (size_t i = 8; i < 11; i++)
		CU_ASSERT_TRUE(bounded[i] <= 0.01 + 3 * sd + 1e-12);
	UNIT_NEAR(bounded[3], values[3], 1e-15);
	change_points_bound(steps, 16, bounded);
	for (size_t i = 0; i < 16; i++)
		UNIT_NEAR(bounded[i], steps[i], 1e-15);
}

/* Costs of nights, and how they divide: tests/unit/compare/reference.py. */
#define FEW_NIGHTS 22

struct division {
	size_t at;
	double change;
	double low;
	double high;
	double before_level;
	double after_level;
	double p;
};

static const double few_nights[][FEW_NIGHTS] = {
	{100, 104, 108, 111, 109, 140, 103, 100, 98, 99, 103, 106, 110, 113, 115, 112, 109, 107,
		105, 108, 111, 113},
	{99, 103, 100, 105, 98, 104, 97, 102, 101, 98, 106, 102, 104, 101, 107, 99, 108, 103, 100,
		109, 105, 101},
};
static const struct division divisions[] = {
	{12, 0.052599566164915602, -0.030296910709519929, 0.14258256875437372, 4.6515856680342944,
		4.7028485498160562, 0.3945},
	{10, 0.030162588383193804, 0.0032027270608269423, 0.057846963408439762, 4.6118109539621264,
		4.6415275965454459, 0.1931},
};

/* With alpha 1 all permutations are drawn, and a division stays whatever its p. */
static void
levels_interval_and_p_agree_with_the_reference(void)
{
	const struct change_search search = {
		.alpha = 1, .permutations = 49999, .min_nights = 4, .seed = 1};

	for (size_t k = 0; k < sizeof(divisions) / sizeof(divisions[0]); k++) {
		const struct division *expected = &divisions[k];
		struct change_point *points;
		double values[FEW_NIGHTS];

		for (size_t i = 0; i < FEW_NIGHTS; i++)
			values[i] = log(few_nights[k][i]);
		CU_ASSERT_EQUAL_FATAL(change_points_find(values, FEW_NIGHTS, &search, &points), 1);
		CU_ASSERT_EQUAL(points[0].at, expected->at);
		UNIT_NEAR(points[0].change, expected->change, 1e-9);
		UNIT_NEAR(points[0].low, expected->low, 1e-9);
		UNIT_NEAR(points[0].high, expected->high, 1e-9);
		UNIT_NEAR(points[0].before_level, expected->before_level, 1e-9);
		UNIT_NEAR(points[0].after_level, expected->after_level, 1e-9);
		/* Four standard errors of 49,999 permutations here and 400,000 there. */
		UNIT_NEAR(points[0].p, expected->p, 0.0095);
		free(points);
	}
}

/* Among three changes, the second is half of the threshold: the first and the third stay. */
static void
the_change_that_is_dropped_is_the_one_below_the_threshold(void)
{
	double values[90];
	struct change_point *points;

	for (size_t i = 0; i < 90; i++)
		values[i] = (i % 2 ? 0.0005 : 0) + (i < 20 ? 0 : 0.05) + (i < 40 ? 0 : 0.01) +
			    (i < 65 ? 0 : 0.04);
	CU_ASSERT_EQUAL_FATAL(change_points_find(values, 90, &change_search_default, &points), 2);
	CU_ASSERT_EQUAL(points[0].at, 20);
	CU_ASSERT_EQUAL(points[1].at, 65);
	/* The levels beside what was dropped are those of the joined part: 20 nights of 45 lower.
	 */
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

static void
a_search_that_takes_too_much_has_no_result(void)
{
	struct random random = {11};
	struct allowance nights = {2000000};
	struct change_search search = change_search_default;
	double values[120];
	struct change_point *points;

	search.nights = &nights;
	make_nights(values, 120, 0.01, &random);
	step(values, 60, 120, 0.10);
	CU_ASSERT_EQUAL(change_points_find(values, 120, &search, &points), 1);
	CU_ASSERT_FALSE(allowance_is_used(&nights));
	free(points);
	nights.left = 1000;
	CU_ASSERT_EQUAL(change_points_find(values, 120, &search, &points), 0);
	CU_ASSERT_TRUE(allowance_is_used(&nights));
	CU_ASSERT_PTR_NULL(points);
}

/* As counts of instructions may be: sums of them differ in their last digits. */
static void
nights_that_are_all_alike_are_not_searched(void)
{
	struct allowance nights = {1};
	struct change_search search = change_search_default;
	double values[5000];
	struct change_point *points;

	search.nights = &nights;
	for (size_t i = 0; i < 5000; i++)
		values[i] = log(1000);
	CU_ASSERT_EQUAL(change_points_find(values, 5000, &search, &points), 0);
	CU_ASSERT_FALSE(allowance_is_used(&nights));
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
what_is_counted_exactly_changes_in_one_night(void)
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

/* (1 + those that reach it) / (1 + all of them): one of one reaches it, or none does. */
static void
p_counts_every_permutation(void)
{
	struct change_search search = change_search_default;
	unsigned reached = 0;
	double values[20];
	struct change_point *points;

	for (size_t i = 0; i < 20; i++)
		values[i] = (i % 2 ? 0.001 : 0) + (i < 12 ? 10 : 11);
	CU_ASSERT_EQUAL_FATAL(change_points_find(values, 20, &search, &points), 1);
	UNIT_NEAR(points[0].p, 1.0 / 2000, 1e-12);
	free(points);
	search = (struct change_search){.alpha = 1, .permutations = 1, .min_nights = 4};
	unsigned missed = 0;

	for (search.seed = 1; search.seed <= 20; search.seed++) {
		struct random random = {search.seed};

		make_nights(values, 20, 0.01, &random);
		for (size_t i = change_points_find(values, 20, &search, &points); i-- > 0;) {
			CU_ASSERT(points[i].p == 0.5 || points[i].p == 1);
			reached += points[i].p == 1;
			missed += points[i].p == 0.5;
		}
		free(points);
	}
	CU_ASSERT(reached > 0 && missed > 0);
}

static void
a_change_below_the_threshold_is_none(void)
{
	double values[60];
	struct change_point *points;

	for (size_t i = 0; i < 60; i++)
		values[i] = (i % 2 ? 0.001 : 0) + (i < 30 ? 0 : 0.015);
	CU_ASSERT_EQUAL(change_points_find(values, 60, &change_search_default, &points), 0);
	free(points);
	struct change_search search = change_search_default;

	search.threshold = 0.01;
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

static void
a_step_of_5_percent_is_found_within_5_nights(void)
{
	struct random random = {23};
	unsigned found = 0;

	for (int series = 0; series < 100; series++) {
		double values[NIGHTS];
		struct change_point *points;
		size_t at = 14 + (size_t)series * 3;

		make_nights(values, at + 5, 0.01, &random);
		step(values, at, at + 5, 0.05);
		size_t n = change_points_find(values, at + 5, &change_search_default, &points);

		found += n > 0 && points[n - 1].at + 2 >= at && points[n - 1].change > 0;
		free(points);
	}
	CU_ASSERT_TRUE(found >= 95);
}

void
suite_compare_change_points(void)
{
	static const struct unit_case cases[] = {
		{"the_place_is_where_the_energy_statistic_is_largest",
			the_place_is_where_the_energy_statistic_is_largest},
		{"the_nile_changed_after_1898", the_nile_changed_after_1898},
		{"three_outliers_of_seven_are_bounded_and_a_step_is_not",
			three_outliers_of_seven_are_bounded_and_a_step_is_not},
		{"levels_interval_and_p_agree_with_the_reference",
			levels_interval_and_p_agree_with_the_reference},
		{"the_change_that_is_dropped_is_the_one_below_the_threshold",
			the_change_that_is_dropped_is_the_one_below_the_threshold},
		{"two_steps_are_found_where_they_are", two_steps_are_found_where_they_are},
		{"a_search_that_takes_too_much_has_no_result",
			a_search_that_takes_too_much_has_no_result},
		{"nights_that_are_all_alike_are_not_searched",
			nights_that_are_all_alike_are_not_searched},
		{"the_same_input_gives_the_same_result", the_same_input_gives_the_same_result},
		{"what_is_counted_exactly_changes_in_one_night",
			what_is_counted_exactly_changes_in_one_night},
		{"p_counts_every_permutation", p_counts_every_permutation},
		{"a_change_below_the_threshold_is_none", a_change_below_the_threshold_is_none},
		{"too_few_nights_have_no_change_point", too_few_nights_have_no_change_point},
		{"years_without_a_change_have_hardly_a_change_point",
			years_without_a_change_have_hardly_a_change_point},
		{"a_step_of_5_percent_is_found_within_5_nights",
			a_step_of_5_percent_is_found_within_5_nights},
		{NULL, NULL},
	};

	unit_suite("compare/change_points", cases);
}
