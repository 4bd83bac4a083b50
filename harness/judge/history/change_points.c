#include "history/change_points.h"

#include "base/mem.h"
#include "compare/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TAIL 0.025 /* of 95 % intervals */

/* The noise of the nights. */

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

/*
 * Writes bounded[n]: each value moved to within 3 SDs of the median of the `window` values around
 * it (at the ends, of the first and the last so many). Fewer than half of the window can be
 * outliers. A series shorter than the window stays as it is.
 */
static void
bound_values(const double *values, size_t n, size_t window, double sd, double *bounded)
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
	bound_values(values, n, WINDOW, n < WINDOW ? 0 : noise_of_differences(values, n), bounded);
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

/* A step between two levels. */

/* Sums of squares and products of the values v, a straight line x and a step h, all centred. */
struct products {
	double n;
	double mean; /* of the values */
	double vv, xv, hv;
	double xx, hh, hx;
};

static struct products
products_of(const double *values, size_t n, size_t at)
{
	const double nights = (double)n;
	const double before = (double)at;
	const double after = nights - before;
	const double middle = (nights - 1) / 2;
	struct products products = {
		.n = nights,
		.xx = nights * (nights * nights - 1) / 12,
		.hh = before * after / nights,
		.hx = before * after / 2,
	};

	for (size_t i = 0; i < n; i++)
		products.mean += values[i] / nights;
	for (size_t i = 0; i < n; i++) {
		const double value = values[i] - products.mean;

		products.vv += value * value;
		products.xv += ((double)i - middle) * value;
		products.hv += i >= at ? value : 0;
	}
	return products;
}

struct step
step_of(const double *values, size_t from, size_t at, size_t to)
{
	const struct products sums = products_of(values + from, to - from, at - from);
	const double m = (double)(at - from);
	const double k = (double)(to - at);
	/* Residual squares of a step, of a line, and of both. */
	const double step = fmax(sums.vv - sums.hv * sums.hv / sums.hh, 0);
	const double line = fmax(sums.vv - sums.xv * sums.xv / sums.xx, 0);
	const double left = sums.hh - sums.hx * sums.hx / sums.xx;
	const double size = (sums.hv - sums.hx * sums.xv / sums.xx) / left;
	const double both = fmax(line - size * size * left, 0);
	const double sd = fmax(sqrt(step / (sums.n - 2)), NOISE_LEAST_SD);
	const double both_sd = fmax(sqrt(both / (sums.n - 3)), NOISE_LEAST_SD);

	return (struct step){
		.from = from,
		.at = at,
		.to = to,
		.before = sums.mean - sums.hv / m,
		.after = sums.mean + sums.hv / k,
		.sd = sd,
		.beside_line = fabs(size) * sqrt(left) / both_sd,
		.line_gain = (step - line) / (sd * sd),
	};
}

double
step_error(const struct step *step, double rho)
{
	const double m = (double)(step->at - step->from);
	const double k = (double)(step->to - step->at);

	return step->sd * sqrt((1 / m + 1 / k) * noise_inflation(rho));
}

double
step_df(const struct step *step, double rho)
{
	return fmax((double)(step->to - step->from - 2) / noise_inflation(rho), 1);
}

/* The squares that a step at each place explains, by place from step->from; the largest. */
static double
explain(const double *values, const struct step *step, double *explained)
{
	const size_t n = step->to - step->from;
	double all = 0;
	double head = 0;
	double most = 0;

	for (size_t i = 0; i < n; i++)
		all += values[step->from + i] - step->before;
	for (size_t at = 1; at < n; at++) {
		const double m = (double)at;
		const double k = (double)(n - at);

		head += values[step->from + at - 1] - step->before;
		const double apart = (all - head) / k - head / m;

		explained[at] = m * k / (m + k) * apart * apart;
		most = fmax(most, explained[at]);
	}
	return most;
}

void
step_place_interval(const double *values, const struct step *step, double rho, size_t least,
	size_t *low, size_t *high)
{
	const size_t n = step->to - step->from;
	const double variance = step->sd * step->sd * noise_inflation(rho);
	double *weights = mem_zalloc(n, sizeof(*weights));
	const double most = explain(values, step, weights);
	double all = 0;
	double below = 0;

	for (size_t at = least; at + least <= n; at++) {
		weights[at] = exp((weights[at] - most) / (2 * variance));
		all += weights[at];
	}
	*low = step->at;
	*high = step->at;
	for (size_t at = least; at + least <= n; at++) {
		const double up_to = below + weights[at];

		if (below <= TAIL * all && up_to > TAIL * all)
			*low = step->from + at;
		if (below < (1 - TAIL) * all && up_to >= (1 - TAIL) * all)
			*high = step->from + at;
		below = up_to;
	}
	free(weights);
}

/* The search. */

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

#define FEWEST 4
#define MOST 21
#define LATEST_BOUND_SDS 3.5
#define LEFT_Z 4.5
/* More nights than a few outliers, or a stretch of correlated ones, are: they need less each. */
#define SURE 12
#define LESS_A_NIGHT 0.06
/* The part of the mean distance that the first night has: else the level was left later. */
#define BEGUN 0.5
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
	bound_values(values + at, n - at, n - at, finder->noise.sd, bounded + at);
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
	bound_values(values, n, 2 * (size_t)search->min_nights - 1, sd, bounded);
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
