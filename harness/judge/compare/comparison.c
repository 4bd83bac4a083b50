#include "compare/comparison.h"

#include "base/mem.h"
#include "compare/match_inlining.h"
#include "compare/stats.h"
#include "profile/canonical.h"
#include "profile/function_class.h"
#include "profile/functions.h"
#include "profile/weights.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Share of the program before: with less, the machine's speed is not known. */
#define LEAST_STABLE 0.5

/* Marks, scheduling and interrupts, and functions of next to no cost are not tested. */
static bool
is_tested(const struct comparison *comparison, const struct model *model, frame_id frame,
	const struct effect *effect)
{
	if (frame_name_is_mark(profile_frame_name(&comparison->profile, frame)) ||
		comparison->background[frame])
		return false;
	return fmax(effect->before_share, model_share_of_before(model, effect)) >=
		       model->options.min_share &&
	       fmax(effect->before_weight, effect->after_weight) >= model->min_samples;
}

/* Learns from the functions, and concludes of each: self[nframes]. */
static void
compare_self(const struct comparison *comparison, struct model *model, struct effect *self)
{
	const struct functions *functions = comparison_functions(comparison);
	size_t n = comparison->nframes;
	struct model_estimate *estimates = mem_zalloc(n, sizeof(*estimates));
	double *samples = mem_zalloc(model->nruns, sizeof(*samples));

	for (frame_id frame = 0; frame < n; frame++) {
		model_samples(model, functions->self + frame * functions->ncolumns, samples);
		model_describe(model, samples, &self[frame]);
		if (!is_tested(comparison, model, frame, &self[frame]))
			continue;
		const struct model_subject subject = {
			.samples = samples,
			.own = model->stable[frame] ? samples : NULL,
		};

		estimates[frame] = model_estimate(model, &subject);
	}
	model_learn(model, estimates, n);
	for (frame_id frame = 1; frame < n; frame++)
		model_conclude(model, &estimates[frame], &self[frame]);
	free(samples);
	free(estimates);
}

struct effect *
comparison_totals(const struct comparison *comparison)
{
	const struct functions *functions = comparison_functions(comparison);
	const struct model *model = &comparison->model;
	struct effect *total = mem_zalloc(comparison->nframes + 1, sizeof(*total));
	double *samples = mem_zalloc(model->nruns, sizeof(*samples));

	for (frame_id frame = 0; frame < comparison->nframes; frame++) {
		struct effect *effect = &total[frame];

		model_samples(model, functions->total + frame * functions->ncolumns, samples);
		model_describe(model, samples, effect);
		if (!is_tested(comparison, model, frame, effect))
			continue;
		const struct model_subject subject = {.samples = samples, .encloses = true};
		const struct model_estimate estimate = model_estimate(model, &subject);

		model_conclude(model, &estimate, effect);
		effect->tested = false;
	}
	free(samples);
	return total;
}

static void
compare_whole(const struct model *model, struct effect *whole)
{
	double *samples = mem_zalloc(model->nruns, sizeof(*samples));

	for (size_t i = 0; i < model->nruns; i++)
		samples[i] = model->runs[i].samples;
	model_describe(model, samples, whole);
	whole->before_cost = model->mean_cost[MODEL_BEFORE];
	whole->after_cost = model->mean_cost[MODEL_AFTER];
	const struct model_estimate estimate = model_estimate_whole(model);

	model_conclude(model, &estimate, whole);
	free(samples);
}

/* Whether to compare shares, because too little is stable to tell the machine's speed. */
static bool
wants_shares(const struct model *model)
{
	return model->options.one_yardstick && !(model->reference_share >= LEAST_STABLE) &&
	       model->mean_cost[MODEL_BEFORE] > 0 && model->mean_cost[MODEL_AFTER] > 0;
}

/* Self and whole by the runs of one stage, or by all. */
static void
compare_stage(const struct comparison *comparison, enum model_stage stage,
	const struct model_options *options, struct comparison_stage *into)
{
	model_init(&into->model, &comparison->profile, comparison->nbefore, stage, options);
	if (options->mode == COMPARISON_STORED && !comparison->plain_costs)
		model_find_reference(&into->model, comparison_functions(comparison));
	if (wants_shares(&into->model))
		model_compare_shares(&into->model, comparison->profile.frames.nframes);
	into->self = mem_zalloc(comparison->nframes + 1, sizeof(*into->self));
	compare_self(comparison, &into->model, into->self);
	compare_whole(&into->model, &into->whole);
}

static bool
has_confirming_runs(const struct profile *profile)
{
	for (size_t i = 0; i < profile->nruns; i++) {
		if (profile->runs[i].stage != 0)
			return true;
	}
	return false;
}

/* Both sides' runs in one profile; where a function is, is where it is after. */
static void
join_sides(struct profile *into, const struct profile *before, const struct profile *after,
	bool full_names)
{
	profile_init(into);
	if (full_names) {
		profile_append(into, before);
		profile_append(into, after);
		free(profile_append_frames(into, after, true));
	} else {
		canonical_join(into, before, after);
		match_inlining(into, before->nruns);
	}
}

void
comparison_make(struct comparison *comparison, const struct profile *before,
	const struct profile *after, const struct comparison_options *options)
{
	const bool plain_costs = options->plain_costs || !weights_follow_speed(before);
	struct model_options model_options = {
		.mode = options->mode,
		.alpha = options->alpha,
		.min_share = options->min_share,
		.session_spread = options->session_spread > 0 ? options->session_spread
							      : COMPARISON_SESSION_SPREAD,
		.spread_of_functions =
			options->spread_of_functions && options->mode == COMPARISON_STORED,
		.one_yardstick = options->one_yardstick && !plain_costs &&
				 options->mode == COMPARISON_STORED,
		.machine_spread = options->machine_spread > 0 ? options->machine_spread
							      : COMPARISON_MACHINE_SPREAD,
	};
	struct comparison_stage all;

	*comparison = (struct comparison){
		.mode = options->mode,
		.plain_costs = plain_costs,
		.nbefore = before->nruns,
		.nafter = after->nruns,
	};
	join_sides(&comparison->profile, before, after, options->full_names);
	comparison->functions = mem_zalloc(1, sizeof(*comparison->functions));
	comparison->nframes = comparison->profile.frames.nframes;
	comparison->background = function_class_background(&comparison->profile);
	compare_stage(comparison, MODEL_ALL_STAGES, &model_options, &all);
	comparison->model = all.model;
	comparison->self = all.self;
	comparison->whole = all.whole;
	comparison->staged = has_confirming_runs(&comparison->profile);
	/* The spread between sessions is best estimated from all runs. */
	if (all.model.session_spread_from == SPREAD_OF_FUNCTIONS) {
		model_options.spread_of_functions = false;
		model_options.session_spread = all.model.session_spread;
		model_options.session_df = all.model.session_df;
	}
	for (int i = 0; i < COMPARISON_STAGES && comparison->staged; i++)
		compare_stage(comparison, i == COMPARISON_SCREEN ? MODEL_SCREEN : MODEL_CONFIRM,
			&model_options, &comparison->stages[i]);
}

const struct functions *
comparison_functions(const struct comparison *comparison)
{
	if (!comparison->functions->self)
		functions_init(comparison->functions, &comparison->profile);
	return comparison->functions;
}

void
comparison_drop_functions(struct comparison *comparison)
{
	if (comparison->functions)
		functions_release(comparison->functions);
}

void
comparison_release(struct comparison *comparison)
{
	for (int i = 0; i < COMPARISON_STAGES && comparison->staged; i++) {
		model_release(&comparison->stages[i].model);
		free(comparison->stages[i].self);
	}
	model_release(&comparison->model);
	comparison_drop_functions(comparison);
	free(comparison->functions);
	profile_release(&comparison->profile);
	free(comparison->self);
	free(comparison->background);
	*comparison = (struct comparison){0};
}

bool
comparison_is_new(const struct comparison *comparison, const struct effect *effect)
{
	const struct model *model = &comparison->model;

	return effect->before_weight < model->min_ratio_samples &&
	       effect->after_weight >= model->min_samples &&
	       model_share_of_before(model, effect) >= model->options.min_share &&
	       model->samples[MODEL_BEFORE] > 0;
}

bool
comparison_was_called(const struct comparison *comparison, frame_id frame)
{
	const struct model *model = &comparison->model;
	const double total =
		functions_total(comparison_functions(comparison), frame, 0, comparison->nbefore);

	return total >= model->min_ratio_samples &&
	       total / model->samples[MODEL_BEFORE] >=
		       model_share_of_before(model, &comparison->self[frame]);
}

bool
comparison_is_gone(const struct comparison *comparison, const struct effect *effect)
{
	const struct model *model = &comparison->model;

	return effect->after_weight < model->min_ratio_samples &&
	       effect->before_weight >= model->min_samples &&
	       effect->before_share >= model->options.min_share && model->samples[MODEL_AFTER] > 0;
}

double
comparison_before_scale(const struct comparison *comparison, const struct effect *effect)
{
	double speed = comparison->model.machine_speed;
	bool is_relative =
		effect->tested ? effect->relative : comparison->mode == COMPARISON_STORED;

	return is_relative && isfinite(speed) ? speed : 1;
}

/* Weights by column of the group, and of what it holds of the stable rest. */
static void
sum_group(const struct comparison *comparison, const struct model *model, const bool *member,
	bool leaf_only, double *weights, double *own)
{
	const struct ctree *tree = &comparison->profile.tree;
	size_t ncolumns = comparison->profile.nruns;
	bool *covered = functions_covered(&comparison->profile, member, leaf_only);
	frame_id *code = functions_code(&comparison->profile);

	for (size_t i = 1; i < tree->nnodes; i++) {
		for (size_t column = 0; column < ncolumns && covered[i]; column++) {
			double weight = ctree_weight(tree, column, (node_id)i);

			weights[column] += weight;
			if (model->stable[code[i]])
				own[column] += weight;
		}
	}
	free(covered);
	free(code);
}

void
comparison_group(const struct comparison *comparison, const struct model *model, const bool *member,
	bool leaf_only, struct effect *effect)
{
	size_t ncolumns = comparison->profile.nruns;
	double *weights = mem_zalloc(ncolumns, 4 * sizeof(*weights));
	double *own_weights = weights + ncolumns;
	double *samples = own_weights + ncolumns;
	double *own = samples + ncolumns;

	sum_group(comparison, model, member, leaf_only, weights, own_weights);
	model_samples(model, weights, samples);
	model_samples(model, own_weights, own);
	model_describe(model, samples, effect);
	if (fmax(effect->before_weight, effect->after_weight) >= model->min_samples) {
		const struct model_subject subject = {.samples = samples, .own = own};
		const struct model_estimate estimate = model_estimate(model, &subject);

		model_conclude(model, &estimate, effect);
	}
	free(weights);
}
