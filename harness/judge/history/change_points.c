#include "history/change_points.h"

#include "base/mem.h"
#include "compare/stats.h"
#include "history/latest_nights.h"
#include "history/noise.h"
#include "history/partition.h"
#include "history/step.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The probability beyond each end of a 95 % interval. */
#define TAIL 0.025

#define PENALTY 4.0
#define STEP_Z 3.5
#define CURRENT_Z 4.5
/* A line must be the better description by so much, where the level before has few nights. */
#define LATEST_LINE_GAIN 4.0
/* A step of which a line is the better description: weaker than any that is tested. */
#define IS_LINE 0.5
#define MORE_NIGHTS 4

const struct change_search change_search_default = {.threshold = 0.005, .min_nights = 5};

size_t
change_points_least_nights(const struct change_search *search)
{
	return 2 * (size_t)search->min_nights + MORE_NIGHTS;
}

/* A change point in the making. */
struct candidate {
	size_t at;
	bool is_tested;  /* since its neighbours are these */
	double strength; /* what it has of what it needs: below 1, it is dropped */
};

/* All of one search. */
struct finder {
	const struct change_search *search;
	const double *values; /* bounded */
	size_t n;
	struct noise noise;
	struct candidate *candidates; /* by place */
	size_t ncandidates;
	size_t *starts; /* scratch: n */
};

/* Between the neighbours of candidate i. */
static struct step
step_at(const struct finder *finder, size_t i)
{
	const struct candidate *candidate = &finder->candidates[i];
	const bool is_last = i + 1 == finder->ncandidates;

	return step_of(finder->values, i > 0 ? candidate[-1].at : 0, candidate->at,
		is_last ? finder->n : candidate[1].at);
}

/* The same with equally many nights on both sides. */
static struct step
step_of_equal_sides(const struct finder *finder, const struct step *step)
{
	const size_t before = step->at - step->from;
	const size_t after = step->to - step->at;
	const size_t side = before < after ? before : after;

	return step_of(finder->values, step->at - side, step->at, step->at + side);
}

static double
strength_of(const struct finder *finder, size_t i)
{
	const struct step step = step_at(finder, i);
	const struct step sides = step_of_equal_sides(finder, &step);
	const double apart = fabs(step.after - step.before);
	const double size = apart / fmax(log1p(finder->search->threshold), step.sd);

	if (i + 1 < finder->ncandidates)
		return fmin(size, fmin(step.beside_line, sides.beside_line) / STEP_Z);
	if (fmax(step.line_gain, sides.line_gain) > 0)
		return fmin(size, IS_LINE);
	return fmin(size, apart / step_error(&step, finder->noise.rho) / CURRENT_Z);
}

static void
forget_neighbours(struct finder *finder, size_t i)
{
	if (i > 0)
		finder->candidates[i - 1].is_tested = false;
	if (i + 1 < finder->ncandidates)
		finder->candidates[i + 1].is_tested = false;
}

/* Drops the weakest until all are strong enough. */
static void
drop_weak(struct finder *finder)
{
	for (;;) {
		size_t weakest = finder->ncandidates;

		for (size_t i = 0; i < finder->ncandidates; i++) {
			struct candidate *candidate = &finder->candidates[i];

			if (!candidate->is_tested)
				candidate->strength = strength_of(finder, i);
			candidate->is_tested = true;
			if (candidate->strength < 1 &&
				(weakest == finder->ncandidates ||
					candidate->strength < finder->candidates[weakest].strength))
				weakest = i;
		}
		if (weakest == finder->ncandidates)
			return;
		forget_neighbours(finder, weakest);
		finder->ncandidates--;
		memmove(&finder->candidates[weakest], &finder->candidates[weakest + 1],
			(finder->ncandidates - weakest) * sizeof(*finder->candidates));
	}
}

static size_t
divide(struct finder *finder, double sd, double rho)
{
	const double penalty = PENALTY * log((double)finder->n) * sd * sd * noise_inflation(rho);

	return partition_find(
		finder->values, finder->n, finder->search->min_nights, penalty, finder->starts);
}

/* Steps 2 to 4; `sd` is that of differences. */
static void
find_levels(struct finder *finder, double sd)
{
	size_t nstarts = divide(finder, sd, 0);
	struct noise noise =
		noise_within_levels(finder->values, finder->n, finder->starts, nstarts);

	nstarts = divide(finder, fmax(noise.sd, sd), noise.rho);
	finder->noise = noise_within_levels(finder->values, finder->n, finder->starts, nstarts);
	finder->ncandidates = nstarts;
	for (size_t i = 0; i < nstarts; i++)
		finder->candidates[i] = (struct candidate){.at = finder->starts[i]};
	drop_weak(finder);
}

static struct change_point
point_of(const struct finder *finder, const double *values, const struct step *step, size_t least)
{
	const double rho = finder->noise.rho;
	const double error = step_error(step, rho);
	const double df = step_df(step, rho);
	const double half = error * stats_t_quantile(TAIL, df);
	const double apart = step->after - step->before;
	const double places = (double)(finder->n - 2 * (size_t)finder->search->min_nights + 1);
	struct change_point point = {
		.at = step->at,
		.change = expm1(apart),
		.low = expm1(apart - half),
		.high = expm1(apart + half),
		.before_level = step->before,
		.after_level = step->after,
		.p = fmin(1, 2 * places * stats_t_survival(fabs(apart) / error, df)),
	};

	step_place_interval(values, step, rho, least, &point.at_low, &point.at_high);
	return point;
}

/* Step 5: bounds the nights after `at` by themselves, since windows reach back to the old level. */
static bool
find_latest(
	struct finder *finder, const double *values, double *bounded, struct change_point *point)
{
	const size_t n = finder->n;
	const struct leveled series = {
		.values = values,
		.bounded = bounded,
		.n = n,
		.starts = finder->starts,
		.nstarts = finder->ncandidates,
		.least = finder->search->min_nights,
	};

	for (size_t i = 0; i < finder->ncandidates; i++)
		finder->starts[i] = finder->candidates[i].at;
	bool returned = false;
	const size_t at = latest_nights_find(&series, &returned);

	if (at == n)
		return false;
	noise_bound(values + at, n - at, n - at, finder->noise.sd, bounded + at);
	const size_t from = series.nstarts > 0 ? series.starts[series.nstarts - 1] : 0;
	const struct step step = step_of(bounded, from, at, n);
	const double least = fmax(log1p(finder->search->threshold), step.sd);

	if ((!returned && step.line_gain > LATEST_LINE_GAIN) ||
		fabs(step.after - step.before) < least)
		return false;
	*point = point_of(finder, bounded, &step, 1);
	return true;
}

size_t
change_points_find(const double *values, size_t n, const struct change_search *search,
	struct change_point **points)
{
	struct finder finder = {.search = search, .n = n};

	*points = NULL;
	if (n < change_points_least_nights(search))
		return 0;
	double *bounded = mem_zalloc(n, sizeof(*bounded));
	double sd = noise_of_differences(values, n);

	finder.values = bounded;
	finder.starts = mem_zalloc(n + 1, sizeof(*finder.starts));
	finder.candidates = mem_zalloc(n, sizeof(*finder.candidates));
	noise_bound(values, n, 2 * (size_t)search->min_nights - 1, sd, bounded);
	find_levels(&finder, sd);
	*points = mem_zalloc(finder.ncandidates + 1, sizeof(**points));
	size_t count = finder.ncandidates;

	for (size_t i = 0; i < count; i++) {
		struct step step = step_at(&finder, i);

		(*points)[i] = point_of(&finder, bounded, &step, search->min_nights);
	}
	count += find_latest(&finder, values, bounded, &(*points)[count]);
	free(finder.candidates);
	free(finder.starts);
	free(bounded);
	return count;
}
