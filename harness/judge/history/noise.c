#include "history/noise.h"

#include "base/mem.h"
#include "compare/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BOUND_SDS 3.0
#define WINDOW 9
/* Median absolute deviation of a normal distribution, in SDs. */
#define NORMAL_MAD 0.6744897501960817
#define RHO_PRIOR 0.4
#define RHO_PRIOR_NIGHTS 20.0
#define RHO_MAX 0.8

double
noise_of_differences(const double *values, size_t n)
{
	double *differences = mem_zalloc(n, sizeof(*differences));

	for (size_t i = 0; i + 1 < n; i++)
		differences[i] = fabs(values[i + 1] - values[i]);
	double sd = stats_median(differences, n - 1) / (NORMAL_MAD * sqrt(2));

	free(differences);
	return fmax(sd, NOISE_LEAST_SD);
}

void
noise_bound(const double *values, size_t n, size_t window, double sd, double *bounded)
{
	const double bound = BOUND_SDS * sd;

	if (n < window) {
		memcpy(bounded, values, n * sizeof(*values));
		return;
	}
	double *around = mem_zalloc(window, sizeof(*around));

	for (size_t i = 0; i < n; i++) {
		size_t from = i < window / 2 ? 0 : i - window / 2;

		if (from + window > n)
			from = n - window;
		memcpy(around, values + from, window * sizeof(*values));
		double middle = stats_median(around, window);

		bounded[i] = fmin(fmax(values[i], middle - bound), middle + bound);
	}
	free(around);
}

void
noise_bound_outliers(const double *values, size_t n, double *bounded)
{
	noise_bound(values, n, WINDOW, n < WINDOW ? 0 : noise_of_differences(values, n), bounded);
}

static double
mean_of(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum / (double)n;
}

struct noise
noise_within_levels(const double *values, size_t n, const size_t *starts, size_t nstarts)
{
	const double nlevels = (double)nstarts + 1;
	double squares = 0;
	double products = 0;

	for (size_t level = 0; level <= nstarts; level++) {
		size_t from = level > 0 ? starts[level - 1] : 0;
		size_t to = level < nstarts ? starts[level] : n;
		double mean = mean_of(values + from, to - from);

		for (size_t i = from; i < to; i++) {
			squares += (values[i] - mean) * (values[i] - mean);
			if (i > from)
				products += (values[i] - mean) * (values[i - 1] - mean);
		}
	}
	double rho = squares > 0 ? products / squares : 0;
	const double nights = (double)n;

	rho += (1 + 4 * rho) * nlevels / nights;
	rho = (nights * rho + RHO_PRIOR_NIGHTS * RHO_PRIOR) / (nights + RHO_PRIOR_NIGHTS);
	return (struct noise){
		.sd = fmax(sqrt(squares / fmax(nights - nlevels, 1)), NOISE_LEAST_SD),
		.rho = fmin(fmax(rho, 0), RHO_MAX),
	};
}

double
noise_inflation(double rho)
{
	return (1 + rho) / (1 - rho);
}

double
noise_of_mean(double rho, size_t n)
{
	double weighted = 0;
	double power = 1;

	for (size_t i = 1; i < n; i++) {
		power *= rho;
		weighted += (1 - (double)i / (double)n) * power;
	}
	return (1 + 2 * weighted) / (double)n;
}
