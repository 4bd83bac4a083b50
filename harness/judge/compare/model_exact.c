/* Exact mode: counts are compared as they are. */
#include "base/mem.h"
#include "compare/model_internal.h"
#include "compare/model_variance.h"
#include "compare/stats.h"

#include <math.h>
#include <stdlib.h>

/* Relative rounding error of sums of fractions. */
#define ROUNDING 1e-12

/* The variance of one run's value, relative to the mean; its degrees of freedom in *df. */
static double
variance_of_run(const double *values, size_t count, double mean, double *df)
{
	double squares = 0;

	for (size_t i = 0; i < count; i++) {
		double residual = values[i] / mean - 1;

		if (fabs(residual) > ROUNDING)
			squares += residual * residual;
	}
	*df = (double)count - 1;
	return *df > 0 ? squares / *df : 0;
}

static struct model_estimate
estimate_counts(const struct model *model, const double *counts)
{
	struct model_estimate estimate = {.known = true, .spread_variance = NAN};
	double mean[MODEL_SIDES];
	double variance[MODEL_SIDES];
	double df[MODEL_SIDES];

	for (int side = 0; side < MODEL_SIDES; side++) {
		size_t first = model->first[side];
		size_t count = model->first[side + 1] - first;

		mean[side] = model_side_sum(model, counts, side) / (double)count;
		variance[side] = variance_of_run(counts + first, count, mean[side], &df[side]);
	}
	estimate.variance = variance[MODEL_BEFORE] + variance[MODEL_AFTER];
	if (df[MODEL_BEFORE] > 0 && df[MODEL_AFTER] > 0) {
		estimate.df = stats_satterthwaite(variance[MODEL_BEFORE], df[MODEL_BEFORE],
			variance[MODEL_AFTER], df[MODEL_AFTER]);
	} else {
		/* A side of one run is assumed to have the spread of the other: one estimate,
		 * twice. */
		estimate.variance *= 2;
		estimate.df = fmax(df[MODEL_BEFORE], df[MODEL_AFTER]);
	}
	if (!(estimate.variance > 0))
		estimate.df = 0;
	estimate.log_change = log(mean[MODEL_AFTER] / mean[MODEL_BEFORE]);
	if (fabs(estimate.log_change) <= ROUNDING)
		estimate.log_change = 0;
	return estimate;
}

static struct model_estimate
estimate_subject(const struct model *model, const struct model_subject *subject)
{
	return estimate_counts(model, subject->samples);
}

static struct model_estimate
estimate_whole(const struct model *model)
{
	double *counts = mem_zalloc(model->nruns, sizeof(*counts));

	for (size_t i = 0; i < model->nruns; i++)
		counts[i] = model->runs[i].cost;
	const struct model_estimate estimate = estimate_counts(model, counts);

	free(counts);
	return estimate;
}

const struct model_method model_method_exact = {
	.estimate = estimate_subject,
	.estimate_whole = estimate_whole,
};
