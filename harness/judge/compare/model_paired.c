/* Paired mode: plain costs, pair by pair. */
#include "base/mem.h"
#include "compare/model_internal.h"
#include "compare/model_variance.h"

#include <math.h>
#include <stdlib.h>

/* Mean of values[count] and the variance of that mean; one value has none. */
static double
mean_of(const double *values, size_t count, double *variance)
{
	double n = (double)count;
	double mean = 0;
	double squares = 0;

	for (size_t i = 0; i < count; i++)
		mean += values[i] / n;
	for (size_t i = 0; i < count; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	*variance = squares / (n - 1) / n;
	return mean;
}

/* Mean and variance of ln C_B - ln C_A over the pairs. */
static double
compare_wholes(const struct model *model, double *variance)
{
	size_t n = model->npairs;
	double *differences = mem_zalloc(n, sizeof(*differences));

	for (size_t j = 0; j < n; j++)
		differences[j] = log(model->runs[n + j].cost) - log(model->runs[j].cost);
	double mean = mean_of(differences, n, variance);

	free(differences);
	return mean;
}

static void
prepare(struct model *model)
{
	if (model->npairs >= MODEL_MIN_PAIRS)
		compare_wholes(model, &model->cost_variance);
}

/* The variance of ln(mean b / mean a) by the delta method: that of what differs within a pair. */
static double
variance_of_ratio(const double *cost, size_t npairs, const double mean[MODEL_SIDES])
{
	double *differences = mem_zalloc(npairs, sizeof(*differences));
	double variance;

	for (size_t j = 0; j < npairs; j++)
		differences[j] =
			cost[npairs + j] / mean[MODEL_AFTER] - cost[j] / mean[MODEL_BEFORE];
	mean_of(differences, npairs, &variance);
	free(differences);
	return variance;
}

static struct model_estimate
estimate_subject(const struct model *model, const struct model_subject *subject)
{
	struct model_estimate estimate = {.spread_variance = NAN};
	double mean[MODEL_SIDES];

	if (model->npairs < MODEL_MIN_PAIRS)
		return estimate;
	double *cost = mem_zalloc(model->nruns, sizeof(*cost));

	for (size_t i = 0; i < model->nruns; i++)
		cost[i] = subject->samples[i] / model->runs[i].samples * model->runs[i].cost;
	for (int side = 0; side < MODEL_SIDES; side++) {
		double samples = model_side_sum(model, subject->samples, side);

		mean[side] = model_side_sum(model, cost, side) / (double)model->npairs;
		estimate.floor += fmax(0, 1 / samples - 1 / model->samples[side]);
	}
	estimate.known = true;
	estimate.log_change = log(mean[MODEL_AFTER] / mean[MODEL_BEFORE]);
	estimate.variance = variance_of_ratio(cost, model->npairs, mean);
	estimate.df = (double)(model->npairs - 1);
	estimate.expected = estimate.floor + model->cost_variance;
	free(cost);
	return estimate;
}

static struct model_estimate
estimate_whole(const struct model *model)
{
	struct model_estimate estimate = {.spread_variance = NAN};

	if (model->npairs < MODEL_MIN_PAIRS)
		return estimate;
	estimate.known = true;
	estimate.log_change = compare_wholes(model, &estimate.variance);
	estimate.df = (double)(model->npairs - 1);
	return estimate;
}

const struct model_method model_method_paired = {
	.prepare = prepare,
	.estimate = estimate_subject,
	.estimate_whole = estimate_whole,
};
