#include "compare/change_points.h"

#include "base/mem.h"
#include "base/random.h"
#include "compare/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW 7
#define BOUND_SDS 3.0
/* Lower bound of the SD, for a series that never varies, as counts of instructions may: 0.01 %. */
#define LEAST_SD 1e-4
/* Median absolute deviation of a normal distribution, in SDs. */
#define NORMAL_MAD 0.6744897501960817
#define RHO_PRIOR 0.4
#define RHO_PRIOR_NIGHTS 20.0
#define RHO_MAX 0.8
#define TAIL 0.025
/* A difference of means that is none: of sums of 10,000s of logarithms. */
#define ROUNDED 1e-9

const struct change_search change_search_default = {
	.alpha = 0.001,
	.threshold = 0.02,
	.permutations = 1999,
	.min_nights = 4,
	.seed = 1,
};

size_t
change_points_least_nights(const struct change_search *search)
{
	return 2 * (size_t)search->min_nights + 6;
}

static double
night_sd(const double *values, size_t n, double *scratch)
{
	for (size_t i = 0; i + 1 < n; i++)
		scratch[i] = fabs(values[i + 1] - values[i]);
	double sd = stats_median(scratch, n - 1) / (NORMAL_MAD * sqrt(2));

	return fmax(sd, LEAST_SD);
}

void
change_points_bound(const double *values, size_t n, double *bounded)
{
	if (n < WINDOW) {
		memcpy(bounded, values, n * sizeof(*values));
		return;
	}
	double *scratch = mem_zalloc(n, sizeof(*scratch));
	double bound = BOUND_SDS * night_sd(values, n, scratch);

	for (size_t i = 0; i < n; i++) {
		size_t from = i < WINDOW / 2 ? 0 : i - WINDOW / 2;

		if (from + WINDOW > n)
			from = n - WINDOW;
		memcpy(scratch, values + from, WINDOW * sizeof(*values));
		double middle = stats_median(scratch, WINDOW);

		bounded[i] = fmin(fmax(values[i], middle - bound), middle + bound);
	}
	free(scratch);
}

size_t
change_points_divide(const double *values, size_t n, size_t min_nights, double *q)
{
	double all = 0;
	double head = 0;
	size_t best = 0;

	*q = 0;
	for (size_t i = 0; i < n; i++)
		all += values[i];
	for (size_t t = 1; t + min_nights <= n; t++) {
		head += values[t - 1];
		if (t < min_nights)
			continue;
		double m = (double)t;
		double k = (double)(n - t);
		double apart = head / m - (all - head) / k;
		double here = m * k / (m + k) * apart * apart;

		if (here > *q) {
			*q = here;
			best = t;
		}
	}
	return best;
}

static double
mean_of(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum / (double)n;
}

/* Two parts of a stretch and how their values scatter. */
struct parts {
	size_t n;
	size_t at;
	double before;     /* mean */
	double after;      /* mean */
	double rho;        /* of neighbouring nights */
	double variance;   /* within the parts, pooled */
	double *residuals; /* n; the caller's */
};

static void
describe_parts(const double *values, struct parts *parts)
{
	double squares = 0;
	double products = 0;

	parts->before = mean_of(values, parts->at);
	parts->after = mean_of(values + parts->at, parts->n - parts->at);
	for (size_t i = 0; i < parts->n; i++) {
		parts->residuals[i] = values[i] - (i < parts->at ? parts->before : parts->after);
		squares += parts->residuals[i] * parts->residuals[i];
		if (i > 0 && i != parts->at)
			products += parts->residuals[i] * parts->residuals[i - 1];
	}
	double n = (double)parts->n;
	double rho = squares > 0 ? products / squares : 0;

	rho += (1 + 4 * rho) / n;
	rho = (n * rho + RHO_PRIOR_NIGHTS * RHO_PRIOR) / (n + RHO_PRIOR_NIGHTS);
	parts->rho = fmin(fmax(rho, 0), RHO_MAX);
	parts->variance = squares / (n - 2);
}

/*
 * Turns residuals into innovations, in place, and makes up for what two fitted means and a chosen
 * place take away from their spread.
 */
static void
make_innovations(struct parts *parts)
{
	double n = (double)parts->n;
	double scale = sqrt(n / (n - 5));
	double first = sqrt(1 - parts->rho * parts->rho);

	for (size_t i = parts->n; i-- > 0;) {
		double innovation =
			i == 0 || i == parts->at
				? parts->residuals[i] * first
				: parts->residuals[i] - parts->rho * parts->residuals[i - 1];

		parts->residuals[i] = innovation * scale;
	}
}

static void
shuffle(double *values, size_t n, struct random *random)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = (size_t)(random_unit(random) * (double)i);
		double swap = values[i - 1];

		values[i - 1] = values[k];
		values[k] = swap;
	}
}

/* What change_points_divide() multiplies the square of a difference with, by the place. */
static void
weigh_places(size_t n, size_t min_nights, double *weights)
{
	for (size_t t = min_nights; t + min_nights <= n; t++)
		weights[t] = 1 / ((double)n * (double)t * (double)(n - t));
}

/*
 * The largest q of a series given by its cumulative sums: that of change_points_divide(), written
 * so that nothing is divided and no place waits for the one before.
 */
static double
largest_q(const double *sums, size_t n, size_t min_nights, const double *weights)
{
	const double all = sums[n - 1];
	double largest = 0;

	for (size_t t = min_nights; t + min_nights <= n; t++) {
		const double apart = sums[t - 1] * (double)n - all * (double)t;
		const double here = apart * apart * weights[t];

		largest = here > largest ? here : largest;
	}
	return largest;
}

/* p of q: how rare one as large is without a change; counting stops once p is above alpha. */
static double
permutation_p(const struct parts *parts, double q, const struct change_search *search,
	struct random *random)
{
	const size_t n = parts->n;
	double *sums = mem_zalloc(n, sizeof(*sums));
	double *weights = mem_zalloc(n, sizeof(*weights));
	const double most = search->alpha * (search->permutations + 1.0);
	const double first = sqrt(1 - parts->rho * parts->rho);
	unsigned reached = 0;
	unsigned done = 0;

	weigh_places(n, search->min_nights, weights);
	while (done < search->permutations && reached < most) {
		if (search->nights && !allowance_take(search->nights, n))
			break;
		shuffle(parts->residuals, n, random);
		double value = parts->residuals[0] / first;

		sums[0] = value;
		for (size_t i = 1; i < n; i++) {
			value = parts->rho * value + parts->residuals[i];
			sums[i] = sums[i - 1] + value;
		}
		done++;
		reached += largest_q(sums, n, search->min_nights, weights) >= q;
	}
	free(weights);
	free(sums);
	return (1.0 + reached) / (1.0 + done);
}

/* All of one search. */
struct finder {
	const struct change_search *search;
	const double *values; /* bounded */
	size_t n;
	struct random random;
	struct change_point *points; /* by `at` */
	size_t npoints;
	size_t capacity;
	double *scratch; /* n */
};

/* Fills in the best division of the stretch [from, to); false if it cannot be divided. */
static bool
test_stretch(struct finder *finder, size_t from, size_t to, struct change_point *point)
{
	const double *values = finder->values + from;
	struct parts parts = {.n = to - from, .residuals = finder->scratch};
	double q;

	if (parts.n < change_points_least_nights(finder->search))
		return false;
	parts.at = change_points_divide(values, parts.n, finder->search->min_nights, &q);
	/* Sums of many equal values are not all equal. */
	if (parts.at == 0 || q <= (double)parts.n * ROUNDED * ROUNDED)
		return false;
	describe_parts(values, &parts);
	double m = (double)parts.at;
	double k = (double)(parts.n - parts.at);
	double inflation = (1 + parts.rho) / (1 - parts.rho);
	double error = sqrt(parts.variance * (1 / m + 1 / k) * inflation);
	double half = error * stats_t_quantile(TAIL, fmax((m + k - 2) / inflation, 1));
	double apart = parts.after - parts.before;

	*point = (struct change_point){
		.at = from + parts.at,
		.change = expm1(apart),
		.low = expm1(apart - half),
		.high = expm1(apart + half),
		.before_level = parts.before,
		.after_level = parts.after,
	};
	make_innovations(&parts);
	point->p = permutation_p(&parts, q, finder->search, &finder->random);
	return true;
}

static void
divide(struct finder *finder, size_t from, size_t to)
{
	struct change_point point;

	if (!test_stretch(finder, from, to, &point) || point.p > finder->search->alpha)
		return;
	divide(finder, from, point.at);
	finder->points = mem_grow(
		finder->points, &finder->capacity, finder->npoints + 1, sizeof(*finder->points));
	finder->points[finder->npoints++] = point;
	divide(finder, point.at, to);
}

/* Tests change point `i` between its neighbours; it may move. False where it is none there. */
static bool
test_again(struct finder *finder, size_t i)
{
	size_t from = i > 0 ? finder->points[i - 1].at : 0;
	size_t to = i + 1 < finder->npoints ? finder->points[i + 1].at : finder->n;

	return test_stretch(finder, from, to, &finder->points[i]);
}

static double
size_of(const struct change_point *point)
{
	return fabs(point->after_level - point->before_level);
}

/* A change point that is tested again. */
struct test {
	bool done; /* since its neighbours are these, at these places */
	bool is_one;
};

/* The one to drop: the least significant, of those the smallest; npoints if none. */
static size_t
find_worst(const struct finder *finder, const struct test *tests)
{
	double least = log1p(finder->search->threshold);
	size_t worst = finder->npoints;

	for (size_t i = 0; i < finder->npoints; i++) {
		const struct change_point *point = &finder->points[i];
		const struct change_point *other = &finder->points[worst];

		if (tests[i].is_one && point->p <= finder->search->alpha && size_of(point) >= least)
			continue;
		if (worst == finder->npoints || point->p > other->p ||
			(point->p >= other->p && size_of(point) < size_of(other)))
			worst = i;
	}
	return worst;
}

static void
forget_neighbours(const struct finder *finder, size_t i, struct test *tests)
{
	if (i > 0)
		tests[i - 1].done = false;
	if (i + 1 < finder->npoints)
		tests[i + 1].done = false;
}

/* Tests those whose neighbours have moved, or are others, once each, in their order. */
static void
test_changed(struct finder *finder, struct test *tests)
{
	for (size_t i = 0; i < finder->npoints; i++) {
		const size_t at = finder->points[i].at;

		if (tests[i].done)
			continue;
		tests[i] = (struct test){.done = true, .is_one = test_again(finder, i)};
		if (finder->points[i].at != at)
			forget_neighbours(finder, i, tests);
	}
}

static void
prune(struct finder *finder)
{
	struct test *tests = mem_zalloc(finder->npoints, sizeof(*tests));

	while (finder->npoints > 0) {
		test_changed(finder, tests);
		size_t worst = find_worst(finder, tests);

		if (worst == finder->npoints)
			break;
		forget_neighbours(finder, worst, tests);
		finder->npoints--;
		memmove(&finder->points[worst], &finder->points[worst + 1],
			(finder->npoints - worst) * sizeof(*finder->points));
		memmove(&tests[worst], &tests[worst + 1],
			(finder->npoints - worst) * sizeof(*tests));
	}
	free(tests);
}

size_t
change_points_find(const double *values, size_t n, const struct change_search *search,
	struct change_point **points)
{
	struct finder finder = {.search = search, .n = n, .random = {random_mix(search->seed)}};

	*points = NULL;
	if (n < change_points_least_nights(search))
		return 0;
	double *bounded = mem_zalloc(n, sizeof(*bounded));

	finder.scratch = mem_zalloc(n, sizeof(*finder.scratch));
	finder.values = bounded;
	change_points_bound(values, n, bounded);
	divide(&finder, 0, n);
	prune(&finder);
	free(bounded);
	free(finder.scratch);
	if (search->nights && allowance_is_used(search->nights)) {
		free(finder.points);
		*points = NULL;
		return 0;
	}
	*points = finder.points;
	return finder.npoints;
}
