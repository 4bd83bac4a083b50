/* The estimates of the three modes of a comparison: the formulas are in model.h. */
#include "compare/model.h"

#include "base/mem.h"
#include "compare/stats.h"

#include <math.h>
#include <stdlib.h>

static void
sum_side(struct model *model, int side)
{
	size_t first = model->first[side];
	size_t end = model->first[side + 1];
	double cost = 0;

	for (size_t i = first; i < end; i++) {
		if (i == first || model->runs[i].session != model->runs[i - 1].session)
			model->nsessions[side]++;
		model->samples[side] += model->runs[i].samples;
		cost += model->runs[i].cost;
	}
	/* For no runs it is NAN. */
	model->mean_cost[side] = cost / (double)(end - first);
}

struct model_method {
	/* Computes the values common to all subjects: spreads, variance of whole cost; or NULL. */
	void (*prepare)(struct model *model);
	struct model_estimate (*estimate)(
		const struct model *model, const struct model_subject *subject);
	struct model_estimate (*estimate_whole)(const struct model *model);
};

/* Stored mode: against the stable rest of the program. */

/* The spread of whole cost between the sessions before, where there are enough of them. */
static void
prepare_stored(struct model *model)
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
estimate_stored(const struct model *model, const struct model_subject *subject)
{
	const struct model_subject enclosing = {.samples = subject->samples, .encloses = true};
	const struct model_estimate estimate = estimate_against(model, subject);

	/* Plain costs of captures of fixed length are set by the clock. */
	return (model->fixed_length || model->options.one_yardstick) && !estimate.relative
		       ? estimate_against(model, &enclosing)
		       : estimate;
}

static struct model_estimate
estimate_whole_stored(const struct model *model)
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

static const struct model_method method_stored = {
	.prepare = prepare_stored,
	.estimate = estimate_stored,
	.estimate_whole = estimate_whole_stored,
};

/* Paired mode: plain costs, pair by pair. */

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
prepare_paired(struct model *model)
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
estimate_paired(const struct model *model, const struct model_subject *subject)
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
estimate_whole_paired(const struct model *model)
{
	struct model_estimate estimate = {.spread_variance = NAN};

	if (model->npairs < MODEL_MIN_PAIRS)
		return estimate;
	estimate.known = true;
	estimate.log_change = compare_wholes(model, &estimate.variance);
	estimate.df = (double)(model->npairs - 1);
	return estimate;
}

static const struct model_method method_paired = {
	.prepare = prepare_paired,
	.estimate = estimate_paired,
	.estimate_whole = estimate_whole_paired,
};

/* Exact mode: counts are compared as they are. */

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
estimate_exact(const struct model *model, const struct model_subject *subject)
{
	return estimate_counts(model, subject->samples);
}

static struct model_estimate
estimate_whole_exact(const struct model *model)
{
	double *counts = mem_zalloc(model->nruns, sizeof(*counts));

	for (size_t i = 0; i < model->nruns; i++)
		counts[i] = model->runs[i].cost;
	const struct model_estimate estimate = estimate_counts(model, counts);

	free(counts);
	return estimate;
}

static const struct model_method method_exact = {
	.estimate = estimate_exact,
	.estimate_whole = estimate_whole_exact,
};

static const struct model_method *
method_of(const struct model *model)
{
	switch (model->options.mode) {
	case COMPARISON_STORED:
		return &method_stored;
	case COMPARISON_PAIRED:
		return &method_paired;
	case COMPARISON_EXACT:
		return &method_exact;
	}
	return &method_stored;
}

void
model_init(struct model *model, const struct profile *profile, size_t nbefore,
	enum model_stage stage, const struct model_options *options)
{
	bool counted = options->mode == COMPARISON_EXACT;

	*model = (struct model){
		.options = *options,
		.runs = mem_zalloc(profile->nruns, sizeof(*model->runs)),
		.stable = mem_zalloc(profile->frames.nframes, sizeof(*model->stable)),
		.reference = mem_zalloc(profile->nruns, sizeof(*model->reference)),
		.machine_speed = NAN,
		.reference_share = NAN,
		.session_df = INFINITY,
		.machine_df = INFINITY,
		.min_samples = counted ? 1 : MODEL_MIN_SAMPLES,
		.min_ratio_samples = counted ? 1 : MODEL_MIN_RATIO_SAMPLES,
	};
	model_choose_runs(model, profile, nbefore, stage);
	for (int side = 0; side < MODEL_SIDES; side++)
		sum_side(model, side);
	if (method_of(model)->prepare)
		method_of(model)->prepare(model);
}

void
model_release(struct model *model)
{
	free(model->runs);
	free(model->stable);
	free(model->reference);
	*model = (struct model){0};
}

void
model_samples(const struct model *model, const double *weights, double *out)
{
	for (size_t i = 0; i < model->nruns; i++)
		out[i] = weights[model->runs[i].column] * model->runs[i].scale;
}

struct model_estimate
model_estimate(const struct model *model, const struct model_subject *subject)
{
	const struct model_estimate unknown = {.spread_variance = NAN};

	for (int side = 0; side < MODEL_SIDES; side++) {
		if (!(model_side_sum(model, subject->samples, side) >= model->min_ratio_samples))
			return unknown;
	}
	return method_of(model)->estimate(model, subject);
}

struct model_estimate
model_estimate_whole(const struct model *model)
{
	const struct model_estimate unknown = {.spread_variance = NAN};

	if (!(model->mean_cost[MODEL_BEFORE] > 0) || !(model->mean_cost[MODEL_AFTER] > 0))
		return unknown;
	return method_of(model)->estimate_whole(model);
}

void
model_describe(const struct model *model, const double *samples, struct effect *effect)
{
	double weight[MODEL_SIDES] = {0};
	double share[MODEL_SIDES] = {NAN, NAN};
	double cost[MODEL_SIDES] = {NAN, NAN};

	effect_clear(effect);
	for (int side = 0; side < MODEL_SIDES; side++) {
		size_t first = model->first[side];
		size_t end = model->first[side + 1];

		if (end == first)
			continue;
		double sum = 0;

		/* A count is its own cost, and stays a whole number. */
		for (size_t i = first; i < end; i++)
			sum += model->options.mode == COMPARISON_EXACT
				       ? samples[i]
				       : samples[i] / model->runs[i].samples * model->runs[i].cost;
		weight[side] = model_side_sum(model, samples, side);
		share[side] = weight[side] / model->samples[side];
		cost[side] = sum / (double)(end - first);
	}
	effect->before_weight = weight[MODEL_BEFORE];
	effect->after_weight = weight[MODEL_AFTER];
	effect->before_share = share[MODEL_BEFORE];
	effect->after_share = share[MODEL_AFTER];
	effect->before_cost = cost[MODEL_BEFORE];
	effect->after_cost = cost[MODEL_AFTER];
}
