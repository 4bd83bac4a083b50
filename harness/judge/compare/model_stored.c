/* Stored mode: against the stable rest of the program. */
#include "base/mem.h"
#include "compare/model_internal.h"
#include "compare/model_variance.h"
#include "compare/stats.h"

#include <math.h>
#include <stdlib.h>

/* The spread of whole cost between the sessions before, where there are enough of them. */
static void
prepare(struct model *model)
{
	struct model_ratio ratio;
	double *cost = mem_zalloc(model->nruns, sizeof(*cost));

	for (size_t i = 0; i < model->nruns; i++)
		cost[i] = model->runs[i].cost;
	model_ratio(model, cost, NULL, &ratio);
	model->cost_variance = ratio.variance[MODEL_BEFORE] + ratio.variance[MODEL_AFTER];
	model->session_spread = model->options.session_spread;
	if (model->options.session_df > 0)
		model->session_df = model->options.session_df;
	model->machine_spread = model->options.machine_spread;
	if (model->nsessions[MODEL_BEFORE] >= MODEL_MIN_SESSIONS) {
		double between = model_session_variance(model, cost, NULL);

		model->machine_spread =
			sqrt(fmax(between, MODEL_LEAST_SPREAD * MODEL_LEAST_SPREAD));
		model->machine_df = (double)(model->nsessions[MODEL_BEFORE] - 1);
	}
	free(cost);
}

/* Samples of the stable rest without the subject's own; false if too few to compare with. */
static bool
subtract_own(const struct model *model, const struct model_subject *subject, double *rest)
{
	const double *own = model->shares ? NULL : subject->own;

	for (size_t i = 0; i < model->nruns; i++)
		rest[i] = fmax(0, model->reference[i] - (own ? own[i] : 0));
	return model_rest_is_large(model, rest);
}

/* The binomial variance of ln(K_B / K_A), the rest's where it is compared with that. */
static double
binomial_floor(const struct model *model, const struct model_subject *subject, const double *rest)
{
	double floor = 0;

	for (int side = 0; side < MODEL_SIDES; side++) {
		double samples = model_side_sum(model, subject->samples, side);

		if (rest && !subject->encloses)
			floor += 1 / samples + 1 / model_side_sum(model, rest, side);
		else
			floor += fmax(0, 1 / samples - 1 / model->samples[side]);
	}
	return floor;
}

static struct model_estimate
estimate_against(const struct model *model, const struct model_subject *subject)
{
	struct model_estimate estimate = {.known = true, .spread_variance = NAN};
	double *rest = mem_zalloc(model->nruns, 2 * sizeof(*rest));
	double *cost = rest + model->nruns;
	struct model_ratio ratio;

	estimate.relative = subtract_own(model, subject, rest);
	/* A subject that is compared with the whole program is part of it. */
	estimate.floor =
		binomial_floor(model, subject, estimate.relative && !model->shares ? rest : NULL);
	estimate.expected = estimate.floor + (estimate.relative ? 0 : model->cost_variance);
	for (size_t i = 0; i < model->nruns; i++)
		cost[i] = subject->samples[i] / model->runs[i].samples * model->runs[i].cost;
	if (estimate.relative)
		model_ratio(model, subject->samples, rest, &ratio);
	else
		model_ratio(model, cost, NULL, &ratio);
	model_pool(&ratio, &estimate);
	if (estimate.relative && model->nsessions[MODEL_BEFORE] >= MODEL_MIN_SESSIONS)
		estimate.spread_variance = model_session_variance(model, subject->samples, rest);
	free(rest);
	return estimate;
}

static struct model_estimate
estimate_subject(const struct model *model, const struct model_subject *subject)
{
	const struct model_subject enclosing = {.samples = subject->samples, .encloses = true};
	const struct model_estimate estimate = estimate_against(model, subject);

	/* Plain costs of captures of fixed length are set by the clock. */
	return (model->fixed_length || model->options.one_yardstick) && !estimate.relative
		       ? estimate_against(model, &enclosing)
		       : estimate;
}

static struct model_estimate
estimate_whole(const struct model *model)
{
	struct model_estimate estimate = {.known = true, .spread_variance = NAN};
	double *cost = mem_zalloc(model->nruns, sizeof(*cost));
	struct model_ratio ratio;

	for (size_t i = 0; i < model->nruns; i++)
		cost[i] = model->runs[i].cost;
	model_ratio(model, cost, NULL, &ratio);
	model_pool(&ratio, &estimate);
	/* Sides of unequal variance: Welch's degrees of freedom. */
	if (ratio.df[MODEL_BEFORE] > 0 && ratio.df[MODEL_AFTER] > 0)
		estimate.df = stats_satterthwaite(ratio.variance[MODEL_BEFORE],
			ratio.df[MODEL_BEFORE], ratio.variance[MODEL_AFTER], ratio.df[MODEL_AFTER]);
	free(cost);
	return estimate;
}

const struct model_method model_method_stored = {
	.prepare = prepare,
	.estimate = estimate_subject,
	.estimate_whole = estimate_whole,
};
