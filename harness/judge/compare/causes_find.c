/* The causes of one growth, and the data that the causes of all growths share. */
#include "compare/causes_search.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int
cause_compare_frames(const struct cause_search *search, frame_id a, frame_id b)
{
	const struct profile *profile = &search->comparison->profile;
	int order = strcmp(profile_frame_name(profile, a), profile_frame_name(profile, b));

	if (order != 0)
		return order;
	enum frame_kind kind_a = profile->frames.frames[a].kind;
	enum frame_kind kind_b = profile->frames.frames[b].kind;

	return (kind_a > kind_b) - (kind_a < kind_b);
}

/* A function that only one build inlines is the same function in both. */
static frame_id *
find_same(const struct profile *profile)
{
	size_t nframes = profile->frames.nframes;
	frame_id *same = mem_zalloc(nframes, sizeof(*same));
	frame_id *by_name = mem_zalloc(profile->strings.nentries + 1, sizeof(*by_name));
	const struct frame *frames = profile->frames.frames;

	for (frame_id frame = 1; frame < nframes; frame++) {
		if (frames[frame].kind == FRAME_USER)
			by_name[frames[frame].name] = frame;
	}
	for (frame_id frame = 1; frame < nframes; frame++) {
		frame_id user = by_name[frames[frame].name];

		same[frame] = frames[frame].kind == FRAME_INLINED && user ? user : frame;
	}
	free(by_name);
	return same;
}

/*
 * The result does not depend on the order of nodes: weights are counts, whose sums are exact in any
 * order, and they become costs run by run, in the model's order.
 */
void
cause_costs(const struct cause_search *search, const uint32_t *slot, size_t nslots, double *before,
	double *after)
{
	const struct model *model = &search->comparison->model;
	const struct ctree *tree = &search->comparison->profile.tree;
	double *sums = mem_zalloc(nslots, sizeof(*sums));

	for (size_t i = 0; i < model->nruns; i++) {
		const struct model_run *run = &model->runs[i];
		bool is_before = i < model->first[MODEL_AFTER];
		size_t nside = is_before ? model->first[MODEL_AFTER]
					 : model->nruns - model->first[MODEL_AFTER];
		double factor = run->scale / run->samples * run->cost / (double)nside *
				(is_before ? search->speed : 1);
		double *costs = is_before ? before : after;

		memset(sums, 0, nslots * sizeof(*sums));
		for (size_t node = 1; node < tree->nnodes; node++) {
			if (slot[node] != CAUSE_NOWHERE)
				sums[slot[node]] += ctree_weight(tree, run->column, (node_id)node);
		}
		for (size_t k = 0; k < nslots; k++)
			costs[k] += sums[k] * factor;
	}
	free(sums);
}

/* Fills in how the own cost of the function was compared, and by how much it grew. */
static void
find_growth(struct cause_search *search)
{
	const struct comparison *comparison = search->comparison;
	const struct effect *self = &comparison->self[search->frame];

	search->relative = self->tested ? self->relative
					: comparison->mode == COMPARISON_STORED &&
						  isfinite(comparison->model.machine_speed);
	search->speed = comparison_before_scale(comparison, self);
	search->causes->before_cost = self->before_cost * search->speed;
	search->causes->after_cost = self->after_cost;
	search->causes->growth = search->causes->after_cost - search->causes->before_cost;
}

/* Whether only one side has enough of the function to be compared. */
static bool
is_one_sided(const struct comparison *comparison, frame_id frame)
{
	const struct effect *self = &comparison->self[frame];

	return (self->before_weight < MODEL_MIN_SAMPLES) !=
	       (self->after_weight < MODEL_MIN_SAMPLES);
}

static void
clean_model(struct cause_ground *ground)
{
	const struct comparison *comparison = ground->comparison;
	const struct functions *functions = comparison_functions(comparison);
	const struct model *from = &comparison->model;
	struct model *model = &ground->model;
	double *samples = mem_zalloc(from->nruns, sizeof(*samples));

	*model = *from;
	model->stable = mem_zalloc(comparison->nframes, sizeof(*model->stable));
	model->reference = mem_zalloc(from->nruns, sizeof(*model->reference));
	for (frame_id frame = 1; frame < comparison->nframes; frame++) {
		if (!from->stable[frame] || is_one_sided(comparison, frame))
			continue;
		model->stable[frame] = true;
		model_samples(from, functions->self + frame * functions->ncolumns, samples);
		for (size_t i = 0; i < from->nruns; i++)
			model->reference[i] += samples[i];
	}
	free(samples);
}

double
causes_more_work(const struct causes *causes)
{
	double before = causes->instructions_before;
	double after = causes->instructions_after;

	return before > 0 && after > 0 ? after / before - 1 : NAN;
}

bool
causes_may_be_layout(const struct causes *causes)
{
	return causes->changed_caller == 0 && !causes->changed_input &&
	       !(causes_more_work(causes) > CAUSES_SAME_WORK);
}

struct cause_ground *
causes_ground_make(const struct comparison *comparison)
{
	struct cause_ground *ground = mem_zalloc(1, sizeof(*ground));

	ground->comparison = comparison;
	const struct ctree *tree = &comparison->profile.tree;

	ground->total = comparison_totals(comparison);
	ground->weights = mem_zalloc(tree->nnodes, sizeof(*ground->weights));
	ctree_sum(tree, 0, comparison->profile.nruns, ground->weights);
	ground->same = find_same(&comparison->profile);
	ground->code = functions_code(&comparison->profile);
	clean_model(ground);
	cause_paths_init(&ground->paths, &comparison->profile, ground->same);
	return ground;
}

void
causes_ground_free(struct cause_ground *ground)
{
	if (!ground)
		return;
	cause_paths_release(&ground->paths);
	free(ground->model.stable);
	free(ground->model.reference);
	free(ground->total);
	free(ground->weights);
	free(ground->same);
	free(ground->code);
	free(ground);
}

void
causes_find(const struct cause_ground *ground, frame_id frame, const struct code_states *code,
	struct arena *arena, struct causes *causes)
{
	struct cause_search search = {.comparison = ground->comparison,
		.frame = frame,
		.arena = arena,
		.causes = causes,
		.model = ground->model,
		.total = ground->total,
		.weights = ground->weights,
		.same = ground->same,
		.code = ground->code,
		.paths = &ground->paths};

	*causes = (struct causes){.instructions_before = NAN, .instructions_after = NAN};
	effect_clear(&causes->domain_effect);
	find_growth(&search);
	cause_find_stacks(&search);
	cause_find_neighbours(&search);
	cause_find_moved(&search);
	if (code && frame < code->nframes) {
		causes->code = code->by_frame[frame];
		causes->unreachable = cause_is_unreachable(&search, code);
		causes->changed_caller = cause_find_changed_caller(&search, code);
	}
}

/* The factor from one cost to another; 1 where either is not known. */
static double
factor_between(double from, double to)
{
	return to > 0 && from > 0 ? to / from : 1;
}

static void
scale_neighbours(struct cause_neighbour *neighbours, size_t count, double before, double after)
{
	for (size_t i = 0; i < count; i++) {
		neighbours[i].before_cost *= before;
		neighbours[i].after_cost *= after;
	}
}

void
causes_scale(struct causes *causes, double before_cost, double after_cost)
{
	const double before = factor_between(causes->before_cost, before_cost);
	const double after = factor_between(causes->after_cost, after_cost);

	causes->before_cost *= before;
	causes->after_cost *= after;
	causes->growth = causes->after_cost - causes->before_cost;
	for (size_t i = 0; i < causes->nstacks; i++) {
		causes->stacks[i].before_cost *= before;
		causes->stacks[i].after_cost *= after;
	}
	scale_neighbours(causes->callers, causes->ncallers, before, after);
	scale_neighbours(causes->callees, causes->ncallees, before, after);
	causes->before_calls *= before;
	causes->after_calls *= after;
}
