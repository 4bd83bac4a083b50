/* The runs of a comparison, and the estimates of its modes. */
#include "compare/model.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/sort.h"
#include "compare/stats.h"
#include "profile/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Which runs a model is made from, and in which order. */

/* By session, then by cost, samples and contents. */
static int
by_contents(const void *left, const void *right)
{
	const struct model_run *a = left;
	const struct model_run *b = right;
	int order = sort_order(a->session, b->session);

	if (order == 0)
		order = sort_order(a->cost, b->cost);
	if (order == 0)
		order = sort_order(a->samples, b->samples);
	return order != 0 ? order : (a->contents > b->contents) - (a->contents < b->contents);
}

/* Whether two runs were taken side by side: <0, 0 or >0. */
static int
compare_pair(const struct model_run *a, const struct model_run *b)
{
	int order = sort_order(a->stage, b->stage);

	return order != 0 ? order : sort_order(a->pair, b->pair);
}

/* By stage and pair, so that the runs of both sides meet. */
static int
by_pair(const void *left, const void *right)
{
	int order = compare_pair(left, right);

	return order != 0 ? order : by_contents(left, right);
}

/*
 * A hash of each stack by the names on it: ids depend on the order in which runs came. Runs are put
 * into an order by it, so that it is the same in every process.
 */
static uint64_t *
hash_stacks(const struct profile *profile)
{
	static const uint64_t key[2] = {0};
	const struct ctree *tree = &profile->tree;
	uint64_t *frames = mem_zalloc(profile->frames.nframes, sizeof(*frames));
	uint64_t *stacks = mem_zalloc(tree->nnodes, sizeof(*stacks));

	for (size_t i = 1; i < profile->frames.nframes; i++) {
		const struct frame *frame = &profile->frames.frames[i];

		frames[i] = siphash(key, strtab_str(&profile->strings, frame->name),
				    strtab_len(&profile->strings, frame->name), 1, 3) +
			    (uint64_t)frame->kind;
	}
	for (size_t i = 1; i < tree->nnodes; i++)
		stacks[i] =
			random_mix(stacks[tree->nodes[i].parent] + frames[tree->nodes[i].frame]);
	free(frames);
	return stacks;
}

/* The sum of the hashes does not depend on the order of nodes; that of counts does not either. */
static void
sum_column(const struct profile *profile, const uint64_t *stacks, struct model_run *run)
{
	for (size_t node = 0; node < profile->tree.nnodes; node++) {
		double weight = ctree_weight(&profile->tree, run->column, (node_id)node);
		uint64_t bits;

		if (!(weight > 0))
			continue;
		memcpy(&bits, &weight, sizeof(bits));
		run->samples += weight;
		run->contents += random_mix(stacks[node] ^ bits);
	}
}

struct choice {
	const struct profile *profile;
	const uint64_t *stacks;
	bool any_stage;
	bool confirming;
};

/* The non-empty runs of one side. */
static void
add_side(struct model *model, const struct choice *choice, size_t first, size_t end)
{
	/* Counts are compared as they are, without scaling to samples. */
	bool scaled =
		!weights_are_samples(choice->profile) && model->options.mode != COMPARISON_EXACT;
	size_t start = model->nruns;

	for (size_t column = first; column < end; column++) {
		const struct run *run = &choice->profile->runs[column];
		struct model_run *entry = &model->runs[model->nruns];

		if (!choice->any_stage && (run->stage != 0) != choice->confirming)
			continue;
		*entry = (struct model_run){
			.column = column,
			.session = run->session,
			.pair = run->pair,
			.stage = run->stage,
			.scale = 1,
			.cost = run->cost_total,
		};
		sum_column(choice->profile, choice->stacks, entry);
		entry->weight = entry->samples;
		if (!(entry->samples > 0) || !isfinite(entry->samples))
			continue;
		if (scaled && run->samples > 0) {
			double samples = run_effective_samples(run);

			entry->scale = samples / entry->samples;
			entry->samples = samples;
		}
		model->nruns++;
	}
	qsort(model->runs + start, model->nruns - start, sizeof(*model->runs), by_contents);
}

/* Costs are compared where every run of both sides has one, else weights stand for them. */
static void
fill_costs(struct model *model)
{
	bool all_known = true;

	for (size_t i = 0; i < model->nruns; i++)
		all_known = all_known && model->runs[i].cost > 0 && isfinite(model->runs[i].cost);
	for (size_t i = 0; i < model->nruns && !all_known; i++)
		model->runs[i].cost = model->runs[i].weight;
}

struct pair {
	struct model_run before;
	struct model_run after;
};

static int
pairs_by_contents(const void *left, const void *right)
{
	const struct pair *a = left;
	const struct pair *b = right;
	int order = by_contents(&a->before, &b->before);

	return order != 0 ? order : by_contents(&a->after, &b->after);
}

/* Keeps the runs that have a partner: the one of runs[j] is runs[npairs + j]. */
static void
keep_pairs(struct model *model)
{
	struct pair *pairs = mem_zalloc(model->nruns, sizeof(*pairs));
	size_t middle = model->first[MODEL_AFTER];
	size_t n = 0;

	qsort(model->runs, middle, sizeof(*model->runs), by_pair);
	qsort(model->runs + middle, model->nruns - middle, sizeof(*model->runs), by_pair);
	for (size_t i = 0, k = middle; i < middle && k < model->nruns;) {
		int order = compare_pair(&model->runs[i], &model->runs[k]);

		if (order == 0 && model->runs[i].pair != 0)
			pairs[n++] = (struct pair){model->runs[i], model->runs[k]};
		i += order <= 0;
		k += order >= 0;
	}
	qsort(pairs, n, sizeof(*pairs), pairs_by_contents);
	for (size_t j = 0; j < n; j++) {
		model->runs[j] = pairs[j].before;
		model->runs[n + j] = pairs[j].after;
	}
	/* Without any pair nothing is tested, and costs are still shown. */
	if (n > 0) {
		model->nruns = 2 * n;
		model->first[MODEL_AFTER] = n;
	}
	model->npairs = n;
	free(pairs);
}

/*
 * The non-empty runs of a stage, in an order that depends on their contents alone. In paired mode
 * only those with a partner, pair by pair on both sides. Fills runs (which must have room for all),
 * nruns, first and npairs; options must be set.
 */
static void
model_choose_runs(
	struct model *model, const struct profile *profile, size_t nbefore, enum model_stage stage)
{
	uint64_t *stacks = hash_stacks(profile);
	struct choice choice = {
		.profile = profile,
		.stacks = stacks,
		.any_stage = stage == MODEL_ALL_STAGES || model->options.mode != COMPARISON_PAIRED,
		.confirming = stage == MODEL_CONFIRM,
	};

	add_side(model, &choice, 0, nbefore);
	model->first[MODEL_AFTER] = model->nruns;
	choice.any_stage = stage == MODEL_ALL_STAGES;
	add_side(model, &choice, nbefore, profile->nruns);
	if (model->options.mode == COMPARISON_PAIRED)
		keep_pairs(model);
	model->first[MODEL_SIDES] = model->nruns;
	fill_costs(model);
	free(stacks);
}

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

/* The estimates of the three modes: see model.h for the formulas. */

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
