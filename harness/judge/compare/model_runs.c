/* Which runs a model is made from, and in which order. */
#include "compare/model.h"

#include "base/mem.h"
#include "base/random.h"
#include "base/siphash.h"
#include "base/sort.h"
#include "profile/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Which runs of a profile are chosen. */
struct choice {
	const struct profile *profile;
	const uint64_t *stacks; /* by node: hash_stacks() */
	bool any_stage;
	bool confirming; /* of one stage: that of the confirming runs, not the first one */
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

void
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
