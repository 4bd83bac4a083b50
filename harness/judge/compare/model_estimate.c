/* The model of a comparison, put together of its parts. */
#include "base/mem.h"
#include "compare/model_internal.h"
#include "compare/model_variance.h"

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

static const struct model_method *
method_of(const struct model *model)
{
	switch (model->options.mode) {
	case COMPARISON_STORED:
		return &model_method_stored;
	case COMPARISON_PAIRED:
		return &model_method_paired;
	case COMPARISON_EXACT:
		return &model_method_exact;
	}
	return &model_method_stored;
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
