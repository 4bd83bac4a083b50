#include "history/latest_nights.h"

#include "history/noise.h"

#include <math.h>

/* So many of the latest nights are tested together. */
#define FEWEST 4
#define MOST 21
#define LATEST_BOUND_SDS 3.5
/* The level was left at this z; from more nights than SURE on, at LESS_A_NIGHT less for each. */
#define LEFT_Z 4.5
#define SURE 12
#define LESS_A_NIGHT 0.06
/* The first night has at least this part of the mean distance: else the level was left later. */
#define BEGUN 0.5
/* Levels whose means differ by less than so many standard errors are the same. */
#define SAME_ERRORS 2.0

/* Nights on one level. */
struct nights {
	double n;
	double mean;
	double squares; /* of the distances from the mean */
};

static struct nights
nights_of(const double *values, size_t from, size_t to)
{
	struct nights nights = {.n = (double)(to - from)};

	for (size_t i = from; i < to; i++)
		nights.mean += values[i] / nights.n;
	for (size_t i = from; i < to; i++)
		nights.squares += (values[i] - nights.mean) * (values[i] - nights.mean);
	return nights;
}

/* SD of the level's nights, or that of the series if it is larger: noise may grow. */
static double
sd_of(const struct nights *nights, const struct noise *noise)
{
	return fmax(sqrt(nights->squares / fmax(nights->n - 1, 1)), noise->sd);
}

/* Adds the nights of earlier levels that are the same. */
static struct nights
add_same_levels(
	const struct leveled *series, const struct nights *current, const struct noise *noise)
{
	const double sd = sd_of(current, noise);
	struct nights all = *current;

	for (size_t i = 0; i < series->nstarts; i++) {
		const struct nights other = nights_of(
			series->bounded, i > 0 ? series->starts[i - 1] : 0, series->starts[i]);
		const double error =
			sd * sqrt((1 / other.n + 1 / current->n) * noise_inflation(noise->rho));

		if (fabs(other.mean - current->mean) > SAME_ERRORS * error)
			continue;
		const double apart = other.mean - all.mean;

		all.squares += other.squares + apart * apart * all.n * other.n / (all.n + other.n);
		all.mean += apart * other.n / (all.n + other.n);
		all.n += other.n;
	}
	return all;
}

/* z of the nights from `at` on. */
static double
distance(const struct leveled *series, size_t from, size_t at, bool *returned)
{
	series->starts[series->nstarts] = at;
	const struct noise noise = noise_within_levels(
		series->bounded, series->n, series->starts, series->nstarts + 1);
	const struct nights current = nights_of(series->bounded, from, at);
	const struct nights level = add_same_levels(series, &current, &noise);
	const double sd = sd_of(&level, &noise);

	*returned = level.n > current.n;
	const size_t j = series->n - at;
	const double first = (series->values[at] - level.mean) / sd;
	double sum = 0;

	for (size_t i = at; i < series->n; i++) {
		const double x = (series->values[i] - level.mean) / sd;

		sum += fmin(fmax(x, -LATEST_BOUND_SDS), LATEST_BOUND_SDS);
	}
	/* Three outliers do not become four nights. */
	if (first * sum < BEGUN * sum * sum / (double)j)
		return 0;
	const double variance =
		noise_of_mean(noise.rho, j) + noise_of_mean(noise.rho, (size_t)level.n);

	return fabs(sum) / ((double)j * sqrt(variance));
}

/* The z at which the last j nights have left the level. */
static double
left_z(size_t j)
{
	return LEFT_Z - (j > SURE ? LESS_A_NIGHT * (double)(j - SURE) : 0);
}

size_t
latest_nights_find(const struct leveled *series, bool *returned)
{
	const size_t n = series->n;
	const size_t from = series->nstarts > 0 ? series->starts[series->nstarts - 1] : 0;
	size_t place = n;
	double largest = 1;

	for (size_t j = FEWEST; j <= MOST && from + series->least + j <= n; j++) {
		bool same;
		const double part = distance(series, from, n - j, &same) / left_z(j);

		if (part >= largest) {
			largest = part;
			place = n - j;
			*returned = same;
		}
	}
	return place;
}
