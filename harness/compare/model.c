#include "compare/model.h"

#include "base/mem.h"
#include "compare/model_variance.h"
#include "compare/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A relative comparison wants a stable rest of at least this share of the samples. */
#define MIN_REFERENCE_SHARE 0.1

static int
compare_numbers(double a, double b)
{
	return (a > b) - (a < b);
}

/* By occasion, then by cost, samples and the moments of how they are spread over the tree. */
static int
by_contents(const void *left, const void *right)
{
	const struct model_run *a = left;
	const struct model_run *b = right;

	if (a->occasion != b->occasion)
		return a->occasion > b->occasion ? 1 : -1;
	int order = compare_numbers(a->cost, b->cost);

	if (order == 0)
		order = compare_numbers(a->samples, b->samples);
	if (order == 0)
		order = compare_numbers(a->squares, b->squares);
	return order != 0 ? order : compare_numbers(a->cubes, b->cubes);
}

/* Sums over the tree that do not depend on the order of its nodes as long as weights are counts. */
static void
sum_column(const struct profile *profile, size_t column, struct model_run *run)
{
	for (size_t node = 0; node < profile->tree.nnodes; node++) {
		double weight = ctree_weight(&profile->tree, column, (node_id)node);

		run->samples += weight;
		run->squares += weight * weight;
		run->cubes += weight * weight * weight;
	}
}

/* The runs of one side that hold anything. */
static void
add_side(struct model *model, const struct profile *profile, size_t first, size_t end)
{
	const char *unit = strtab_str(&profile->strings, profile->unit);
	bool are_samples = unit[0] == '\0' || strcmp(unit, "samples") == 0;
	size_t start = model->nruns;

	for (size_t column = first; column < end; column++) {
		const struct run *run = &profile->runs[column];
		struct model_run *entry = &model->runs[model->nruns];

		*entry = (struct model_run){
			.column = column,
			.occasion = run->occasion,
			.scale = 1,
			.cost = run->cost_total,
		};
		sum_column(profile, column, entry);
		if (!(entry->samples > 0) || !isfinite(entry->samples))
			continue;
		if (!are_samples && run->samples > 0) {
			entry->scale = (double)run->samples / entry->samples;
			entry->samples = (double)run->samples;
		}
		model->nruns++;
	}
	qsort(model->runs + start, model->nruns - start, sizeof(*model->runs), by_contents);
}

/* Costs are compared where every run of both sides has one, else samples stand for them. */
static void
settle_costs(struct model *model)
{
	bool all_known = true;

	for (size_t i = 0; i < model->nruns; i++)
		all_known = all_known && model->runs[i].cost > 0 && isfinite(model->runs[i].cost);
	for (size_t i = 0; i < model->nruns && !all_known; i++)
		model->runs[i].cost = model->runs[i].samples;
}

static void
sum_side(struct model *model, int side)
{
	size_t first = model->first[side];
	size_t end = model->first[side + 1];
	double cost = 0;

	for (size_t i = first; i < end; i++) {
		if (i == first || model->runs[i].occasion != model->runs[i - 1].occasion)
			model->noccasions[side]++;
		model->samples[side] += model->runs[i].samples;
		cost += model->runs[i].cost;
	}
	model->mean_cost[side] = end > first ? cost / (double)(end - first) : NAN;
}

/* The spread of whole cost between the occasions before, where there are enough of them. */
static void
learn_machine_spread(struct model *model)
{
	struct model_ratio ratio;
	double *cost = mem_zalloc(model->nruns + 1, sizeof(*cost));

	for (size_t i = 0; i < model->nruns; i++)
		cost[i] = model->runs[i].cost;
	model_ratio(model, cost, NULL, &ratio);
	model->cost_variance = ratio.variance[MODEL_BEFORE] + ratio.variance[MODEL_AFTER];
	model->machine_spread = model->options.machine_spread;
	model->machine_df = INFINITY;
	if (model->noccasions[MODEL_BEFORE] >= MODEL_MIN_OCCASIONS) {
		double between = model_occasion_variance(model, cost, NULL);

		model->machine_spread =
			sqrt(fmax(between, MODEL_LEAST_SPREAD * MODEL_LEAST_SPREAD));
		model->machine_df = (double)(model->noccasions[MODEL_BEFORE] - 1);
	}
	free(cost);
}

void
model_init(struct model *model, const struct profile *profile, size_t nbefore,
	const struct model_options *options)
{
	*model = (struct model){
		.options = *options,
		.runs = mem_zalloc(profile->nruns + 1, sizeof(*model->runs)),
		.stable = mem_zalloc(profile->frames.nframes + 1, sizeof(*model->stable)),
		.reference = mem_zalloc(profile->nruns + 1, sizeof(*model->reference)),
		.machine_speed = NAN,
		.reference_share = NAN,
		.session_spread = options->session_spread,
		.session_df = INFINITY,
	};
	add_side(model, profile, 0, nbefore);
	model->first[MODEL_AFTER] = model->nruns;
	add_side(model, profile, nbefore, profile->nruns);
	model->first[MODEL_SIDES] = model->nruns;
	settle_costs(model);
	for (int side = 0; side < MODEL_SIDES; side++)
		sum_side(model, side);
	learn_machine_spread(model);
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

static double
side_sum(const struct model *model, const double *values, int side)
{
	double sum = 0;

	for (size_t i = model->first[side]; i < model->first[side + 1]; i++)
		sum += values[i];
	return sum;
}

/* Samples of the stable rest without the subject's own; false if too few to be a yardstick. */
static bool
subtract_own(const struct model *model, const struct model_subject *subject, double *rest)
{
	for (size_t i = 0; i < model->nruns; i++)
		rest[i] = fmax(0, model->reference[i] - (subject->own ? subject->own[i] : 0));
	for (int side = 0; side < MODEL_SIDES; side++) {
		double sum = side_sum(model, rest, side);

		if (sum < MODEL_MIN_SAMPLES || sum < MIN_REFERENCE_SHARE * model->samples[side])
			return false;
	}
	return true;
}

/* The binomial variance of ln(K_B / K_A), the rest's where it is compared with that. */
static double
binomial_floor(const struct model *model, const struct model_subject *subject, const double *rest)
{
	double floor = 0;

	for (int side = 0; side < MODEL_SIDES; side++) {
		double samples = side_sum(model, subject->samples, side);

		floor += 1 / samples;
		if (rest && !subject->encloses)
			floor += 1 / side_sum(model, rest, side);
		else
			floor -= fmin(1 / samples, 1 / model->samples[side]);
	}
	return floor;
}

struct model_estimate
model_estimate(const struct model *model, const struct model_subject *subject)
{
	struct model_estimate estimate = {.spread_variance = NAN};
	double *rest = mem_zalloc(model->nruns + 1, 2 * sizeof(*rest));
	double *cost = rest + model->nruns;
	struct model_ratio ratio;

	for (int side = 0; side < MODEL_SIDES; side++) {
		if (!(side_sum(model, subject->samples, side) >= MODEL_MIN_RATIO_SAMPLES))
			goto out;
	}
	estimate.known = true;
	estimate.relative = subtract_own(model, subject, rest);
	estimate.floor = binomial_floor(model, subject, estimate.relative ? rest : NULL);
	estimate.expected = estimate.floor + (estimate.relative ? 0 : model->cost_variance);
	for (size_t i = 0; i < model->nruns; i++)
		cost[i] = subject->samples[i] / model->runs[i].samples * model->runs[i].cost;
	if (estimate.relative)
		model_ratio(model, subject->samples, rest, &ratio);
	else
		model_ratio(model, cost, NULL, &ratio);
	estimate.log_change = ratio.log_ratio[MODEL_AFTER] - ratio.log_ratio[MODEL_BEFORE];
	model_pool(&ratio, &estimate);
	if (estimate.relative && model->noccasions[MODEL_BEFORE] >= MODEL_MIN_OCCASIONS)
		estimate.spread_variance = model_occasion_variance(model, subject->samples, rest);
out:
	free(rest);
	return estimate;
}

struct model_estimate
model_estimate_whole(const struct model *model)
{
	struct model_estimate estimate = {.spread_variance = NAN};
	double *cost = mem_zalloc(model->nruns + 1, sizeof(*cost));
	struct model_ratio ratio;

	for (size_t i = 0; i < model->nruns; i++)
		cost[i] = model->runs[i].cost;
	if (model->mean_cost[MODEL_BEFORE] > 0 && model->mean_cost[MODEL_AFTER] > 0) {
		estimate.known = true;
		model_ratio(model, cost, NULL, &ratio);
		estimate.log_change = ratio.log_ratio[MODEL_AFTER] - ratio.log_ratio[MODEL_BEFORE];
		model_pool(&ratio, &estimate);
		/* Sides of unequal variance: Welch's degrees of freedom. */
		if (ratio.df[MODEL_BEFORE] > 0 && ratio.df[MODEL_AFTER] > 0)
			estimate.df = stats_satterthwaite(ratio.variance[MODEL_BEFORE],
				ratio.df[MODEL_BEFORE], ratio.variance[MODEL_AFTER],
				ratio.df[MODEL_AFTER]);
	}
	free(cost);
	return estimate;
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

		for (size_t i = first; i < end; i++)
			sum += samples[i] / model->runs[i].samples * model->runs[i].cost;
		weight[side] = side_sum(model, samples, side);
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
