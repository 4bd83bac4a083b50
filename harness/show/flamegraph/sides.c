#include "flamegraph/sides.h"

#include "base/mem.h"
#include "profile/counters.h"
#include "profile/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The smallest share of the picture that is visible: about a pixel of 1200. */
#define SEEN_SHARE 0.001

static bool
costs_are_known(const struct profile *profile, const struct flamegraph_side *side)
{
	for (size_t i = 0; i < side->count; i++)
		if (!(profile->runs[side->first + i].cost_total > 0))
			return false;
	return true;
}

/*
 * Fills in the side and the factors of its columns, so that the sum of factor times weight over its
 * columns is a share of its mean cost.
 */
static void
measure_side(struct flamegraph_sides *sides, struct flamegraph_side *side, bool by_cost)
{
	const struct profile *profile = &sides->comparison->profile;
	bool are_samples = weights_are_samples(profile);
	double sum = 0;
	double samples = 0;
	size_t nruns = 0;

	for (size_t i = side->first; i < side->first + side->count; i++) {
		const struct run *run = &profile->runs[i];
		double weight = profile_column_total(profile, i);

		if (!(weight > 0))
			continue;
		double cost = by_cost ? run->cost_total : weight;

		sides->factors[i] = cost / weight;
		sum += cost;
		samples += are_samples || run->samples == 0 ? weight : run_effective_samples(run);
		nruns++;
	}
	for (size_t i = side->first; i < side->first + side->count; i++)
		sides->factors[i] /= sum > 0 ? sum : 1;
	side->cost = side->measured = nruns > 0 ? sum / (double)nruns : 0;
	side->samples = samples;
}

double
flamegraph_size_on_side(const struct flamegraph_sides *sides, const struct flamegraph_side *side,
	const double *weights)
{
	double size = 0;

	for (size_t i = side->first; i < side->first + side->count; i++)
		size += sides->factors[i] * weights[i];
	return size;
}

/* One column at a time: a tree of millions of nodes has its columns far apart in memory. */
static void
add_side(const struct flamegraph_sides *sides, const struct flamegraph_side *side, double *scratch,
	double *sizes)
{
	const struct ctree *tree = &sides->comparison->profile.tree;

	for (size_t column = side->first; column < side->first + side->count; column++) {
		ctree_sum(tree, column, 1, scratch);
		for (size_t node = 0; node < tree->nnodes; node++)
			sizes[node] += sides->factors[column] * scratch[node];
	}
}

/* Whether the stable rest is large enough on both sides to compare each function with it. */
static bool
has_stable_rest(const struct comparison *comparison)
{
	return !comparison->model.shares && isfinite(comparison->model.machine_speed) &&
	       comparison->model.machine_speed > 0 &&
	       model_rest_is_large(&comparison->model, comparison->model.reference);
}

static void
find_drift(struct flamegraph_sides *sides)
{
	const struct comparison *comparison = sides->comparison;
	bool plain = comparison->mode != COMPARISON_STORED || comparison->plain_costs;
	double before = sides->before.cost;
	double after = sides->after.cost;

	sides->basis = FLAMEGRAPH_SHARE;
	sides->drift = 1;
	sides->cost_drift = 1;
	if (!(before > 0) || !(after > 0))
		return;
	sides->cost_drift = after / before;
	if (plain) {
		sides->basis = FLAMEGRAPH_COST;
		sides->cost_drift = 1;
	} else if (has_stable_rest(comparison)) {
		sides->basis = FLAMEGRAPH_REST;
		sides->cost_drift = comparison->model.machine_speed;
	}
	sides->drift = sides->cost_drift * before / after;
	/* As the findings have it; samples are shown as they were counted. */
	if (sides->by_cost && (sides->basis == FLAMEGRAPH_REST || comparison->model.shares))
		sides->before.cost *= sides->cost_drift;
}

/* Widths of plain costs have the larger whole as their unit. */
static void
find_width_scale(struct flamegraph_sides *sides)
{
	const double larger = fmax(sides->before.measured, sides->after.measured);

	sides->normalised = !sides->comparison->plain_costs;
	sides->before.width_scale = 1;
	sides->after.width_scale = 1;
	if (sides->normalised || !(larger > 0))
		return;
	sides->before.width_scale = sides->before.measured / larger;
	sides->after.width_scale = sides->after.measured / larger;
}

static void
measure_nodes(struct flamegraph_sides *sides)
{
	const struct ctree *tree = &sides->comparison->profile.tree;
	size_t seen = 0;

	add_side(sides, &sides->before, sides->width, sides->size_before);
	add_side(sides, &sides->after, sides->width, sides->size_after);
	for (size_t i = 0; i < tree->nnodes; i++)
		sides->width[i] = fmax(sides->size_before[i] * sides->before.width_scale,
			sides->size_after[i] * sides->after.width_scale);
	ctree_totals(tree, sides->size_before);
	ctree_totals(tree, sides->size_after);
	ctree_totals(tree, sides->width);
	for (size_t i = 0; i < tree->nnodes; i++)
		seen += sides->width[i] >= SEEN_SHARE * sides->width[CTREE_ROOT];
	if (seen > sides->family)
		sides->family = seen;
}

void
flamegraph_sides_init(struct flamegraph_sides *sides, const struct comparison *comparison)
{
	const struct profile *profile = &comparison->profile;
	size_t nnodes = profile->tree.nnodes;

	*sides = (struct flamegraph_sides){
		.comparison = comparison,
		.before = {.first = 0, .count = comparison->nbefore},
		.after = {.first = comparison->nbefore, .count = comparison->nafter},
		.family = profile->frames.nframes,
		.factors = mem_zalloc(comparison->nbefore + comparison->nafter, sizeof(double)),
		.size_before = mem_zalloc(nnodes, sizeof(double)),
		.size_after = mem_zalloc(nnodes, sizeof(double)),
		.width = mem_zalloc(nnodes, sizeof(double)),
	};
	bool by_cost =
		costs_are_known(profile, &sides->before) && costs_are_known(profile, &sides->after);
	str_id unit = by_cost ? profile->cost_unit : profile->unit;

	sides->unit = unit ? strtab_str(&profile->strings, unit) : by_cost ? "ns" : "samples";
	sides->by_cost = by_cost;
	sides->per = by_cost ? executions_basis(profile) : "run";
	if (strcmp(sides->per, "run") == 0 && sides->before.count <= 1 && sides->after.count <= 1)
		sides->per = "";
	measure_side(sides, &sides->before, by_cost);
	measure_side(sides, &sides->after, by_cost);
	find_drift(sides);
	find_width_scale(sides);
	measure_nodes(sides);
}

void
flamegraph_sides_release(struct flamegraph_sides *sides)
{
	free(sides->factors);
	free(sides->size_before);
	free(sides->size_after);
	free(sides->width);
	*sides = (struct flamegraph_sides){0};
}
