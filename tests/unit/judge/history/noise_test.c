#include "history/noise.h"

#include "unit.h"

#include <math.h>

void suite_history_noise(void);

/* All differences but those at the outliers are 0.01. */
#define SD (0.01 / (0.6744897501960817 * 1.4142135623730951))

static void
outliers_are_bounded_and_levels_are_not(void)
{
	double values[] = {0, 0.01, 0, 0.01, 0, 0.01, 0, 0.01, 1, 0.9, 0.8, 0, 0.01, 0, 0.01, 0};
	double steps[] = {0, 0.01, 0, 0.01, 0, 0.01, 0, 0.01, 0, 0.01, 0, 1.01, 1, 1.01, 1, 1.01};
	double bounded[16];

	noise_bound_outliers(values, 16, bounded);
	for (size_t i = 8; i < 11; i++)
		UNIT_NEAR(bounded[i], 0.01 + 3 * SD, 1e-12);
	UNIT_NEAR(bounded[3], values[3], 1e-15);
	noise_bound_outliers(steps, 16, bounded);
	for (size_t i = 0; i < 16; i++)
		UNIT_NEAR(bounded[i], steps[i], 1e-15);
	/* Eight nights are no window. */
	noise_bound_outliers(values + 4, 8, bounded);
	UNIT_NEAR(bounded[4], 1, 0);
}

static void
levels_do_not_enlarge_the_noise_of_differences(void)
{
	double values[] = {0, 0.01, 0, 0.01, 1, 1.01, 1, 1.01, 5, 5.01, 5, 5.01};
	double alike[] = {3, 3, 3};

	UNIT_NEAR(noise_of_differences(values, 12), SD, 1e-12);
	UNIT_NEAR(noise_of_differences(alike, 3), NOISE_LEAST_SD, 0);
}

/* tests/unit/judge/history/reference.py */
static void
noise_within_levels_agrees_with_the_reference(void)
{
	static const double costs[] = {100, 104, 108, 111, 109, 140, 103, 100, 98, 99, 103, 106,
		110, 113, 115, 112, 109, 107, 105, 108, 111, 113};
	const size_t at = 12;
	double values[22];

	for (size_t i = 0; i < 22; i++)
		values[i] = log(costs[i]);
	struct noise noise = noise_within_levels(values, 22, &at, 1);

	UNIT_NEAR(noise.sd, 0.073252877763345783, 1e-14);
	UNIT_NEAR(noise.rho, 0.37329140250846038, 1e-12);
}

/* Of two nights (1 + rho) / 2, of three (3 + 4 rho + 2 rho^2) / 9, of many (1 + rho) / (1 - rho).
 */
static void
the_mean_of_correlated_nights_varies_more(void)
{
	UNIT_NEAR(noise_of_mean(0.5, 1), 1, 1e-15);
	UNIT_NEAR(noise_of_mean(0.5, 2), 0.75, 1e-15);
	UNIT_NEAR(noise_of_mean(0.5, 3), 5.5 / 9, 1e-15);
	UNIT_NEAR(noise_of_mean(0, 10), 0.1, 1e-15);
	UNIT_NEAR(10000 * noise_of_mean(0.5, 10000), noise_inflation(0.5), 1e-3);
	UNIT_NEAR(noise_inflation(0.5), 3, 1e-15);
}

void
suite_history_noise(void)
{
	static const struct unit_case cases[] = {
		{"outliers_are_bounded_and_levels_are_not",
			outliers_are_bounded_and_levels_are_not},
		{"levels_do_not_enlarge_the_noise_of_differences",
			levels_do_not_enlarge_the_noise_of_differences},
		{"noise_within_levels_agrees_with_the_reference",
			noise_within_levels_agrees_with_the_reference},
		{"the_mean_of_correlated_nights_varies_more",
			the_mean_of_correlated_nights_varies_more},
		{NULL, NULL},
	};

	unit_suite("history/noise", cases);
}
