/* The stable rest of the program, from which the machine's speed is estimated. */
#include "compare/model.h"

#include "base/mem.h"
#include "compare/stats.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDS 4
#define STABLE_Z 2.5
/* In the median: no function weighs more than this, and an unchanged machine weighs that much. */
#define MOST_WEIGHT 0.2
#define UNCHANGED_WEIGHT 0.25
/*
 * Machines of one class differ in speed by less than this factor, whatever the largest function
 * shows.
 */
#define MOST_SPEED 4
/* Sides that differ by less than this, or by two standard errors, count as equal in samples. */
#define SAME_LENGTH 0.02

/* A function that can be part of the rest; the last one is all that is too small, as one. */
struct candidate {
	frame_id frame; /* 0: the small ones */
	double samples[MODEL_SIDES];
	double log_share_change;
	double variance;
	bool stable;
};

struct candidates {
	const struct model *model;
	struct candidate *items;
	size_t count;
	bool *is_small;  /* by frame */
	double *totals;  /* n_r, by run */
	double *samples; /* scratch, by run */
	double *small;   /* samples of the small ones, by run */
};

static void
add_candidate(struct candidates *candidates, frame_id frame, const double *samples)
{
	const struct model *model = candidates->model;
	struct candidate *item = &candidates->items[candidates->count];
	struct model_estimate estimate = {0};
	struct model_ratio ratio;

	*item = (struct candidate){.frame = frame};
	for (int side = 0; side < MODEL_SIDES; side++) {
		for (size_t i = model->first[side]; i < model->first[side + 1]; i++)
			item->samples[side] += samples[i];
	}
	double fewer = fmin(item->samples[MODEL_BEFORE], item->samples[MODEL_AFTER]);
	double more = fmax(item->samples[MODEL_BEFORE], item->samples[MODEL_AFTER]);

	if (fewer < MODEL_MIN_SAMPLES) {
		/* A function that only one side has, or mostly, is no reference for others. */
		candidates->is_small[frame] = more < MODEL_MIN_SAMPLES;
		return;
	}
	model_ratio(model, samples, candidates->totals, &ratio);
	model_pool(&ratio, &estimate);
	item->log_share_change = estimate.log_change;
	item->variance = fmax(estimate.variance,
		1 / item->samples[MODEL_BEFORE] + 1 / item->samples[MODEL_AFTER]);
	candidates->count++;
}

static void
add_candidates(struct candidates *candidates, const struct functions *functions)
{
	const struct model *model = candidates->model;

	for (size_t i = 0; i < model->nruns; i++)
		candidates->totals[i] = model->runs[i].samples;
	for (frame_id frame = 1; frame < functions->nfunctions; frame++) {
		model_samples(
			model, functions->self + frame * functions->ncolumns, candidates->samples);
		add_candidate(candidates, frame, candidates->samples);
		for (size_t i = 0; i < model->nruns && candidates->is_small[frame]; i++)
			candidates->small[i] += candidates->samples[i];
	}
	add_candidate(candidates, 0, candidates->small);
}

/*
 * Samples alone are no measure of work: where a function has grown, the same work takes more
 * samples, but captures that a clock has ended have equally many.
 */
static bool
has_fixed_length(const struct model *model, double log_cost)
{
	for (size_t i = 0; i < model->nruns; i++) {
		if (model->runs[i].cost != model->runs[i].weight)
			return false;
	}
	return fabs(log_cost) <= fmax(SAME_LENGTH, 2 * sqrt(model->cost_variance));
}

/* Whether the machine alone can have caused this change of cost. */
static bool
is_credible(const struct model *model, const struct candidate *item, double log_cost)
{
	return model->fixed_length || fabs(item->log_share_change + log_cost) <= log(MOST_SPEED);
}

/* The start: the median change of share, with an item that stands for an unchanged machine. */
static double
first_centre(const struct candidates *candidates, double log_cost)
{
	const struct model *model = candidates->model;
	struct stats_weighted *items = mem_zalloc(candidates->count + 1, sizeof(*items));
	double total = 0;

	for (size_t i = 0; i < candidates->count; i++) {
		const struct candidate *item = &candidates->items[i];
		double share = item->samples[MODEL_BEFORE] / model->samples[MODEL_BEFORE];

		items[i].value = item->log_share_change;
		if (is_credible(model, item, log_cost))
			items[i].weight = fmin(share, MOST_WEIGHT);
		total += items[i].weight;
	}
	items[candidates->count].value = -log_cost;
	items[candidates->count].weight = model->fixed_length ? 0 : UNCHANGED_WEIGHT * total;
	double centre = stats_weighted_median(items, candidates->count + 1);

	free(items);
	return centre;
}

/* Keeps what lies near `centre`, and returns the change of share of all of it together. */
static double
keep_stable(struct candidates *candidates, double centre)
{
	const struct model *model = candidates->model;
	double spread = model->session_spread * model->session_spread * model_sessions_apart(model);
	double sum[MODEL_SIDES] = {0};

	for (size_t i = 0; i < candidates->count; i++) {
		struct candidate *item = &candidates->items[i];

		item->stable = fabs(item->log_share_change - centre) <=
			       STABLE_Z * sqrt(item->variance + spread);
		for (int side = 0; side < MODEL_SIDES && item->stable; side++)
			sum[side] += item->samples[side];
	}
	return log(sum[MODEL_AFTER] / sum[MODEL_BEFORE]) -
	       log(model->samples[MODEL_AFTER] / model->samples[MODEL_BEFORE]);
}

static void
adopt(struct model *model, struct candidates *candidates, const struct functions *functions)
{
	for (size_t k = 0; k < candidates->count; k++) {
		const struct candidate *item = &candidates->items[k];

		if (!item->stable)
			continue;
		const double *samples = candidates->small;

		if (item->frame != 0) {
			model->stable[item->frame] = true;
			model_samples(model, functions->self + item->frame * functions->ncolumns,
				candidates->samples);
			samples = candidates->samples;
		}
		for (size_t i = 0; i < model->nruns; i++)
			model->reference[i] += samples[i];
		/* Frame 0 stands for all of the small ones. */
		for (frame_id frame = 1; frame < functions->nfunctions && item->frame == 0; frame++)
			model->stable[frame] = model->stable[frame] || candidates->is_small[frame];
	}
}

void
model_find_reference(struct model *model, const struct functions *functions)
{
	struct candidates candidates = {
		.model = model,
		.items = mem_zalloc(functions->nfunctions + 1, sizeof(*candidates.items)),
		.is_small = mem_zalloc(functions->nfunctions, sizeof(*candidates.is_small)),
		.totals = mem_zalloc(model->nruns, sizeof(*candidates.totals)),
		.samples = mem_zalloc(model->nruns, sizeof(*candidates.samples)),
		.small = mem_zalloc(model->nruns, sizeof(*candidates.small)),
	};

	add_candidates(&candidates, functions);
	double log_cost = log(model->mean_cost[MODEL_AFTER] / model->mean_cost[MODEL_BEFORE]);

	model->fixed_length = has_fixed_length(model, log_cost);
	double centre = first_centre(&candidates, log_cost);

	for (int round = 0; round < ROUNDS && !isnan(centre); round++)
		centre = keep_stable(&candidates, centre);
	if (isnan(centre))
		goto out;
	adopt(model, &candidates, functions);
	double sum = 0;

	for (size_t i = 0; i < model->first[MODEL_AFTER]; i++)
		sum += model->reference[i];
	model->reference_share = sum / model->samples[MODEL_BEFORE];
	model->machine_speed = exp(centre + log_cost);
out:
	free(candidates.items);
	free(candidates.is_small);
	free(candidates.totals);
	free(candidates.samples);
	free(candidates.small);
}

void
model_compare_shares(struct model *model, size_t nframes)
{
	model->shares = true;
	for (size_t i = 0; i < model->nruns; i++)
		model->reference[i] = model->runs[i].samples;
	for (size_t frame = 1; frame < nframes; frame++)
		model->stable[frame] = true;
	model->machine_speed = model->mean_cost[MODEL_AFTER] / model->mean_cost[MODEL_BEFORE];
}
