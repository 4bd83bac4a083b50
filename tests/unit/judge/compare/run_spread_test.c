#include "compare/run_spread.h"

#include "compare/comparison_fixture.h"
#include "compare/stats.h"
#include "unit.h"

#include <math.h>

void suite_compare_run_spread(void);

/* Values from tests/unit/judge/compare/reference.py. */
static const double runs_before[] = {1.00, 1.04, 0.97, 1.02, 0.96, 1.05, 0.99};
static const double runs_after[] = {1.1, 1.6, 0.8, 1.3, 0.7, 1.5};
static const double expected_ratio = 89.113183312550916, expected_p = 7.7992307744618425e-05;

#define NBEFORE (sizeof(runs_before) / sizeof(runs_before[0]))
#define NAFTER (sizeof(runs_after) / sizeof(runs_after[0]))

/* Adds runs of three functions with these costs; `part` of what is beyond 1 is in f00 alone. */
static void
add_costs(struct profile *profile, const double *costs, size_t n, double part)
{
	for (size_t i = 0; i < n; i++) {
		double more = costs[i] - 1;
		double all = 1 + (1 - part) * more;
		const double weights[] = {500 * all + 1500 * part * more, 500 * all, 500 * all};

		add_run(profile, weights, 3, costs[i] * 1e9);
	}
}

static struct run_spread
spread_of(size_t nbefore, const double *after, size_t nafter, double part)
{
	struct profile sides[2];
	struct comparison comparison;

	profile_init(&sides[0]);
	profile_init(&sides[1]);
	add_costs(&sides[0], runs_before, nbefore, 0);
	add_costs(&sides[1], after, nafter, part);
	comparison_make(&comparison, &sides[0], &sides[1], &plain_options);
	const struct run_spread spread = run_spread(&comparison);

	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
	return spread;
}

static void
the_ratio_is_that_of_variances_without_the_farthest_run(void)
{
	const struct run_spread spread = spread_of(NBEFORE, runs_after, NAFTER, 0);

	CU_ASSERT(fabs(spread.ratio / expected_ratio - 1) < 1e-12);
	CU_ASSERT(fabs(spread.p / expected_p - 1) < 1e-9);
	CU_ASSERT_TRUE(spread.is_far);
}

/* Sum of squares about the mean of ln costs, corrected for the mean, and the largest of them. */
static double
squares_of(const double *costs, size_t n, double *largest)
{
	double mean = 0;
	double sum = 0;

	*largest = 0;
	for (size_t i = 0; i < n; i++)
		mean += log(costs[i]) / (double)n;
	for (size_t i = 0; i < n; i++) {
		double square = pow(log(costs[i]) - mean, 2) * (double)n / (double)(n - 1);

		sum += square;
		*largest = fmax(*largest, square);
	}
	return sum;
}

/*
 * Each side's runs twice, the second time as a session on a machine of half the speed, and one run
 * by itself, which tells no spread.
 */
static void
spread_is_about_the_mean_of_each_session(void)
{
	const double *costs[2] = {runs_before, runs_after};
	const size_t n[2] = {NBEFORE, NAFTER};
	struct profile sides[2];
	struct comparison comparison;
	double variance[2];
	double sd[2];

	for (int side = 0; side < 2; side++) {
		double largest;
		double squares = squares_of(costs[side], n[side], &largest);

		profile_init(&sides[side]);
		for (uint32_t session = 0; session < 2; session++) {
			double slower[NBEFORE];

			for (size_t i = 0; i < n[side]; i++)
				slower[i] = costs[side][i] * (1 + session);
			add_costs(&sides[side], slower, n[side], 0);
			for (size_t i = 0; i < n[side]; i++)
				sides[side].runs[session * n[side] + i].session = session;
		}
		add_costs(&sides[side], (const double[]){9}, 1, 0);
		sides[side].runs[2 * n[side]].session = 2;
		variance[side] = (2 * squares - largest) / (double)(2 * n[side] - 1);
		sd[side] = sqrt(2 * squares / (double)(2 * n[side]));
	}
	comparison_make(&comparison, &sides[0], &sides[1], &plain_options);
	const struct run_spread spread = run_spread(&comparison);

	UNIT_NEAR(spread.before, sd[0], 1e-12);
	UNIT_NEAR(spread.after, sd[1], 1e-12);
	UNIT_NEAR(spread.ratio / (variance[1] / variance[0]), 1, 1e-9);
	/* 12 runs in two sessions, and 14: less the sessions, less one. */
	UNIT_NEAR(spread.p / stats_f_survival(spread.ratio, 9, 11), 1, 1e-9);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

static void
one_function_that_is_erratic_is_no_disturbance(void)
{
	CU_ASSERT_FALSE(spread_of(NBEFORE, runs_after, NAFTER, 1).is_far);
}

static void
one_bad_run_is_no_spread(void)
{
	static const double one_bad[] = {1.00, 1.01, 0.99, 2.00, 1.01, 0.99, 1.00, 1.01};

	CU_ASSERT_FALSE(spread_of(NBEFORE, one_bad, 8, 0).is_far);
}

static void
a_few_runs_say_nothing(void)
{
	CU_ASSERT(isnan(spread_of(4, runs_after, NAFTER, 0).ratio));
	CU_ASSERT(isnan(spread_of(NBEFORE, runs_after, 4, 0).ratio));
	CU_ASSERT_FALSE(spread_of(4, runs_after, NAFTER, 0).is_far);
	CU_ASSERT_FALSE(isnan(spread_of(5, runs_after, 5, 0).ratio));
}

/* However alike the runs before were. */
static void
a_spread_of_two_percent_is_none(void)
{
	static const double alike[] = {1, 1.0001, 1, 0.9999, 1, 1};
	static const double some[] = {1, 1.03, 0.98, 1.02, 0.97, 1};
	struct profile sides[2];
	struct comparison comparison;

	profile_init(&sides[0]);
	profile_init(&sides[1]);
	add_costs(&sides[0], alike, 6, 0);
	add_costs(&sides[1], some, 6, 0);
	comparison_make(&comparison, &sides[0], &sides[1], &plain_options);
	const struct run_spread spread = run_spread(&comparison);

	CU_ASSERT(spread.ratio < 4);
	CU_ASSERT(spread.after > 100 * spread.before);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

void
suite_compare_run_spread(void)
{
	static const struct unit_case cases[] = {
		{"the_ratio_is_that_of_variances_without_the_farthest_run",
			the_ratio_is_that_of_variances_without_the_farthest_run},
		{"spread_is_about_the_mean_of_each_session",
			spread_is_about_the_mean_of_each_session},
		{"one_function_that_is_erratic_is_no_disturbance",
			one_function_that_is_erratic_is_no_disturbance},
		{"one_bad_run_is_no_spread", one_bad_run_is_no_spread},
		{"a_few_runs_say_nothing", a_few_runs_say_nothing},
		{"a_spread_of_two_percent_is_none", a_spread_of_two_percent_is_none},
		{NULL, NULL},
	};

	unit_suite("compare/run_spread", cases);
}
