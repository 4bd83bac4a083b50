#include "output/flamegraph_sides.h"

#include "base/mem.h"
#include "compare/stats.h"
#include "output/flamegraph_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Chance that noise alone colours anything in the picture. */
#define NOISE_ALPHA 0.05

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
	bool weights_are_samples =
		profile->unit == 0 ||
		strcmp(strtab_str(&profile->strings, profile->unit), "samples") == 0;
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
		samples += weights_are_samples || run->samples == 0 ? weight : (double)run->samples;
		nruns++;
	}
	for (size_t i = side->first; i < side->first + side->count; i++)
		sides->factors[i] /= sum > 0 ? sum : 1;
	side->cost = nruns > 0 ? sum / (double)nruns : 0;
	side->samples = samples;
}

static double
self_size(const struct flamegraph_sides *sides, const struct flamegraph_side *side, node_id node)
{
	double size = 0;

	for (size_t i = side->first; i < side->first + side->count; i++)
		size += sides->factors[i] * ctree_weight(&sides->comparison->profile.tree, i, node);
	return size;
}

static double
function_size(
	const struct flamegraph_sides *sides, const struct flamegraph_side *side, frame_id frame)
{
	const struct functions *functions = &sides->comparison->functions;
	double size = 0;

	for (size_t i = side->first; i < side->first + side->count; i++)
		size += sides->factors[i] * functions->self[frame * functions->ncolumns + i];
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

static void
find_drift(struct flamegraph_sides *sides)
{
	const struct comparison *comparison = sides->comparison;
	double speed = comparison->machine_speed;

	sides->drift = 1;
	if (sides->before.cost > 0 && sides->after.cost > 0 && isfinite(speed) && speed > 0 &&
		comparison->reference_share > 0) {
		sides->drift = speed * sides->before.cost / sides->after.cost;
		sides->has_drift = true;
	}
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
		.factors = mem_zalloc(comparison->nbefore + comparison->nafter, sizeof(double)),
		.size_before = mem_zalloc(nnodes, sizeof(double)),
		.size_after = mem_zalloc(nnodes, sizeof(double)),
		.width = mem_zalloc(nnodes, sizeof(double)),
	};
	bool by_cost =
		costs_are_known(profile, &sides->before) && costs_are_known(profile, &sides->after);
	str_id unit = by_cost ? profile->cost_unit : profile->unit;

	/* Bonferroni over the functions: among five hundred, one is off by three sigma by chance.
	 */
	sides->noise_sigmas =
		stats_t_quantile(NOISE_ALPHA / 2 / (double)(profile->frames.nframes + 1), INFINITY);
	sides->unit = unit ? strtab_str(&profile->strings, unit) : by_cost ? "ns" : "samples";
	measure_side(sides, &sides->before, by_cost);
	measure_side(sides, &sides->after, by_cost);
	find_drift(sides);
	add_side(sides, &sides->before, sides->width, sides->size_before);
	add_side(sides, &sides->after, sides->width, sides->size_after);
	for (size_t i = 0; i < nnodes; i++)
		sides->width[i] = fmax(sides->size_before[i], sides->size_after[i]);
	ctree_totals(&profile->tree, sides->size_before);
	ctree_totals(&profile->tree, sides->size_after);
	ctree_totals(&profile->tree, sides->width);
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

/*
 * Judges a difference of sizes by the noise of sampling: binomial without drift; with it, both the
 * counts and the reference they are held against vary as Poisson counts do. `spread` is how much
 * wider than that the runs were seen to vary.
 */
static struct flamegraph_change
judge(const struct flamegraph_sides *sides, double before, double after, double spread)
{
	const struct comparison *comparison = sides->comparison;
	struct flamegraph_change change = {.before = before, .after = after};
	double nb = sides->before.samples;
	double na = sides->after.samples;
	double scaled = after / sides->drift;

	change.ratio = before > 0 ? scaled / before - 1 : after > 0 ? INFINITY : 0;
	if (!(nb > 0) || !(na > 0))
		return change;
	double pooled = (before * nb + scaled * na) / (nb + na);
	double per_sample = 1 / nb + 1 / na;
	double variance = pooled * (1 - fmin(pooled, 1)) * per_sample;

	if (sides->has_drift)
		variance = pooled * per_sample +
			   pooled * pooled * per_sample / comparison->reference_share;
	if (isfinite(spread) && spread > 1)
		variance *= spread;
	/* Both sides were measured on occasions of their own, and those differ by themselves. */
	if (sides->has_drift && comparison->session_spread > 0)
		variance += 2 * pow(pooled * comparison->session_spread, 2);
	double difference = fabs(scaled - before);

	/* Sums of shares differ in their last digits by the order of adding. */
	change.significant =
		difference > 1e-9 &&
		difference * difference > sides->noise_sigmas * sides->noise_sigmas * variance;
	return change;
}

/* Whether the comparison could not tell a function's change from none; false where it has no say.
 */
static bool
is_noise(const struct effect *effect)
{
	return effect->low <= 0 && effect->high >= 0;
}

/* The same for a self effect that was tested. */
static bool
is_tested_noise(const struct effect *effect)
{
	return effect->tested && is_noise(effect);
}

struct flamegraph_change
flamegraph_sides_self(const struct flamegraph_sides *sides, node_id node)
{
	const struct effect *effect =
		&sides->comparison->self[sides->comparison->profile.tree.nodes[node].frame];
	struct flamegraph_change change = judge(sides, self_size(sides, &sides->before, node),
		self_size(sides, &sides->after, node), effect->tested ? effect->overdispersion : 1);

	if (is_tested_noise(effect))
		change.significant = false;
	return change;
}

struct flamegraph_change
flamegraph_sides_function(const struct flamegraph_sides *sides, frame_id frame)
{
	const struct effect *effect = &sides->comparison->self[frame];
	struct flamegraph_change change = judge(sides, function_size(sides, &sides->before, frame),
		function_size(sides, &sides->after, frame),
		effect->tested ? effect->overdispersion : 1);

	if (is_tested_noise(effect))
		change.significant = false;
	return change;
}

struct flamegraph_change
flamegraph_sides_total(const struct flamegraph_sides *sides, node_id node)
{
	frame_id frame = sides->comparison->profile.tree.nodes[node].frame;
	const struct effect *effect = &sides->comparison->self[frame];
	struct flamegraph_change change = judge(sides, sides->size_before[node],
		sides->size_after[node], sides->comparison->total[frame].overdispersion);

	/* A node that is all there is of a function cannot know more than the function's own test.
	 */
	const struct effect *whole = &sides->comparison->total[frame];
	double largest = fmax(whole->before_share, whole->after_share);

	if (is_noise(whole) && fmax(change.before, change.after) >= 0.9 * largest)
		change.significant = false;
	/* Where most of the change is the function's own, its test knows better than the counts. */
	if (is_tested_noise(effect)) {
		double own = self_size(sides, &sides->after, node) / sides->drift -
			     self_size(sides, &sides->before, node);
		double all = change.after / sides->drift - change.before;

		if (fabs(own) >= 0.5 * fabs(all))
			change.significant = false;
	}
	return change;
}

void
flamegraph_sides_put_costs(const struct flamegraph_sides *sides,
	const struct flamegraph_change *change, struct buf *out)
{
	flamegraph_put_costs(out, change->before * sides->before.cost,
		change->after * sides->after.cost, sides->unit);
	if (sides->before.count > 1 || sides->after.count > 1)
		buf_puts(out, " a run");
}

const char *
flamegraph_change_class(const struct flamegraph_change *change)
{
	static const char *const grown[] = {"g1", "g2", "g3", "g4"};
	static const char *const shrunk[] = {"s1", "s2", "s3", "s4"};

	if (!change->significant)
		return change->before > 0 && !(change->after > 0) ? "q" : "z";
	if (!(change->before > 0))
		return "new";
	if (!(change->after > 0))
		return "gone";
	/* Steps of the ratio, so that doubling weighs as much as halving. */
	double size = fabs(log1p(change->ratio));
	int level = size < log(1.1) ? 0 : size < log(1.3) ? 1 : size < log(2) ? 2 : 3;

	return change->ratio > 0 ? grown[level] : shrunk[level];
}
