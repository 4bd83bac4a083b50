#include "compare/run_spread.h"

#include "base/mem.h"
#include "compare/stats.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_RUNS 5
/* For variances. */
#define FAR_RATIO 4
#define FAR_P 0.001

/* The runs of one side. */
struct side {
	double squares; /* of deviations from the sessions' means, corrected for estimating these */
	double largest;
	double nruns;
	double df;
};

/* Adds a session of the ln costs of n runs. */
static void
add_session(struct side *side, const double *costs, size_t n)
{
	double mean = 0;

	if (n < 2)
		return;
	for (size_t i = 0; i < n; i++)
		mean += costs[i] / (double)n;
	for (size_t i = 0; i < n; i++) {
		double deviation = costs[i] - mean;
		double square = deviation * deviation * (double)n / (double)(n - 1);

		side->squares += square;
		side->largest = fmax(side->largest, square);
	}
	side->nruns += (double)n;
	side->df += (double)(n - 1);
}

/* One side of ln costs by run. */
static struct side
side_of(const struct model *model, const double *costs, int which)
{
	struct side side = {0};
	size_t end = model->first[which + 1];

	for (size_t first = model->first[which], next; first < end; first = next) {
		next = first;
		while (next < end && model->runs[next].session == model->runs[first].session)
			next++;
		add_session(&side, costs + first, next - first);
	}
	return side;
}

static double
variance_but_one(const struct side *side)
{
	return (side->squares - side->largest) / (side->nruns - 1);
}

/* R, of ln costs by run. */
static double
ratio_of(const struct model *model, const double *costs)
{
	const double least = COMPARISON_SESSION_SPREAD * COMPARISON_SESSION_SPREAD;
	const struct side before = side_of(model, costs, MODEL_BEFORE);
	const struct side after = side_of(model, costs, MODEL_AFTER);

	return variance_but_one(&after) / fmax(least, variance_but_one(&before));
}

/* The least R of the program without one function, or with all. */
static double
least_ratio(const struct comparison *comparison, const double *whole)
{
	const struct model *model = &comparison->model;
	double *room = mem_zalloc(model->nruns, 2 * sizeof(*room));
	double *rest = room + model->nruns;
	double least = ratio_of(model, whole);
	const struct functions *functions = comparison_functions(comparison);

	for (frame_id frame = 1; frame < comparison->nframes; frame++) {
		if (!comparison->self[frame].tested)
			continue;
		model_samples(model, functions->self + frame * functions->ncolumns, room);
		for (size_t i = 0; i < model->nruns; i++)
			rest[i] = whole[i] + log1p(-room[i] / model->runs[i].samples);
		double ratio = ratio_of(model, rest);

		/* A program of one function has no rest. */
		if (isfinite(ratio))
			least = fmin(least, ratio);
	}
	free(room);
	return least;
}

struct run_spread
run_spread(const struct comparison *comparison)
{
	const struct model *model = &comparison->model;
	struct run_spread spread = {.before = NAN, .after = NAN, .ratio = NAN, .p = NAN};
	double *whole = mem_zalloc(model->nruns, sizeof(*whole));

	for (size_t i = 0; i < model->nruns; i++)
		whole[i] = log(model->runs[i].cost);
	const struct side before = side_of(model, whole, MODEL_BEFORE);
	const struct side after = side_of(model, whole, MODEL_AFTER);

	/* They are in sessions of two or more: three degrees of freedom at least. */
	if (before.nruns >= LEAST_RUNS && after.nruns >= LEAST_RUNS) {
		spread.before = sqrt(before.squares / before.nruns);
		spread.after = sqrt(after.squares / after.nruns);
		spread.ratio = least_ratio(comparison, whole);
		spread.p = stats_f_survival(spread.ratio, after.df - 1, before.df - 1);
		spread.is_far = spread.ratio >= FAR_RATIO && spread.p <= FAR_P;
	}
	free(whole);
	return spread;
}
