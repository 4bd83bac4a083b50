#include "history/series_kind.h"

#include "base/random.h"

#include "unit.h"

#include <math.h>

void suite_history_series_kind(void);

#define N 200

static double
normal(struct random *random)
{
	double u = random_unit(random);
	double v = random_unit(random);

	return sqrt(-2 * log(1 - u)) * cos(2 * 3.14159265358979324 * v);
}

static void
nights_of_two_states_are_told_and_joined(void)
{
	struct random random = {3};
	double values[N];

	for (size_t i = 0; i < N; i++)
		values[i] = 0.01 * normal(&random) + (random_unit(&random) < 0.3 ? 0.1 : 0);
	/* Outliers are no third state. */
	values[20] = 2;
	values[90] = 3;
	struct two_states states = two_states_of(values, N, 5);

	CU_ASSERT_TRUE_FATAL(states.found);
	UNIT_NEAR(states.low, 0, 0.004);
	UNIT_NEAR(states.high, 0.1, 0.006);
	UNIT_NEAR(states.high_share, 0.3, 0.1);
	two_states_remove(&states, values, N);
	for (size_t i = 0; i < N; i++)
		CU_ASSERT(i == 20 || i == 90 || fabs(values[i]) < 0.05);
}

/* A regression that was fixed is on two levels, too, but stays on each. */
static void
levels_are_no_states(void)
{
	struct random random = {5};
	double values[N];

	for (size_t i = 0; i < N; i++)
		values[i] = 0.01 * normal(&random) + (i >= 50 && i < 120 ? 0.1 : 0);
	CU_ASSERT_FALSE(two_states_of(values, N, 5).found);
	for (size_t i = 0; i < N; i++)
		values[i] = 0.01 * normal(&random);
	CU_ASSERT_FALSE(two_states_of(values, N, 5).found);
	CU_ASSERT_FALSE(two_states_of(values, 9, 5).found);
}

static void
a_drift_has_its_slope(void)
{
	struct random random = {7};
	double values[N];

	for (size_t i = 0; i < N; i++)
		values[i] = 0.01 * normal(&random) + 0.0005 * (double)i;
	struct drift drift = drift_of(values, N, 0.005);

	CU_ASSERT_TRUE(drift.found);
	UNIT_NEAR(drift.a_night, 0.0005, 0.00005);
	CU_ASSERT(drift.low < 0.0005 && drift.high > 0.0005);
	/* Less than the policy wants, or in too few nights. */
	CU_ASSERT_FALSE(drift_of(values, N, 0.2).found);
	CU_ASSERT_FALSE(drift_of(values, 13, 0).found);
}

/* Two of a thousand unchanged series would be allowed to drift. */
static void
unchanged_series_do_not_drift(void)
{
	struct random random = {11};
	unsigned found = 0;

	for (int series = 0; series < 500; series++) {
		double values[N];
		double noise = 0;

		for (size_t i = 0; i < N; i++) {
			noise = 0.5 * noise + 0.01 * normal(&random);
			values[i] = noise;
		}
		found += drift_of(values, N, 0.005).found;
	}
	CU_ASSERT(found <= 4);
}

void
suite_history_series_kind(void)
{
	static const struct unit_case cases[] = {
		{"nights_of_two_states_are_told_and_joined",
			nights_of_two_states_are_told_and_joined},
		{"levels_are_no_states", levels_are_no_states},
		{"a_drift_has_its_slope", a_drift_has_its_slope},
		{"unchanged_series_do_not_drift", unchanged_series_do_not_drift},
		{NULL, NULL},
	};

	unit_suite("history/series_kind", cases);
}
