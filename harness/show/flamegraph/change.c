#include "flamegraph/change.h"

#include "base/mem.h"
#include "compare/model.h"
#include "compare/stats.h"
#include "format/figures.h"
#include "profile/counters.h"
#include "profile/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Both sides: how large each node is. */

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

/* The size that the weights by column (of a node, a function) make up on one side. */
static double
size_on_side(const struct flamegraph_sides *sides, const struct flamegraph_side *side,
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

/* The changes between them, and their significance. */

/* Chance that noise alone colours anything in the picture. */
#define NOISE_ALPHA 0.05
#define INTERVAL_ALPHA 0.05
/*
 * Smaller changes read "+0.0 %": counted instructions differ by a few for no reason worth a colour.
 */
#define LEAST_RATIO 0.0005

struct judge {
	const struct flamegraph_sides *sides;
	const struct model *model;
	double noise_level;
	double noise_sigmas;      /* so many standard deviations are more than noise */
	double df;                /* degrees of freedom that many estimates share */
	double interval_quantile; /* quantile of an interval with that df */
	double rest[MODEL_SIDES]; /* samples of the stable rest */
	double *totals;           /* n_r, by run of the model */
	double *samples;
};

/* Something with a weight in each column. */
struct subject {
	const double *weights;
	double before; /* sizes */
	double after;
	bool stable;          /* all of its samples are part of the stable rest */
	const double *shared; /* by side: those that are; NULL: all or none */
};

static void
judge_init(struct judge *judge, const struct flamegraph_sides *sides)
{
	const struct model *model = &sides->comparison->model;
	double noise_level = NOISE_ALPHA / 2 / (double)(sides->family + 1);

	*judge = (struct judge){
		.sides = sides,
		.model = model,
		.noise_level = noise_level,
		.noise_sigmas = stats_t_quantile(noise_level, INFINITY),
		.df = NAN,
		.totals = mem_zalloc(model->nruns + 1, 2 * sizeof(double)),
	};
	judge->samples = judge->totals + model->nruns;
	for (size_t i = 0; i < model->nruns; i++)
		judge->totals[i] = model->runs[i].samples;
	for (int side = 0; side < MODEL_SIDES; side++)
		judge->rest[side] = model_side_sum(model, model->reference, side);
}

static void
judge_release(struct judge *judge)
{
	free(judge->totals);
}

/* How the subject's share of the whole has changed. */
static struct model_estimate
estimate_share(const struct judge *judge)
{
	const struct model *model = judge->model;
	struct model_estimate estimate = {.relative = true, .spread_variance = NAN};
	struct model_ratio ratio;

	for (int side = 0; side < MODEL_SIDES; side++) {
		double sum = model_side_sum(model, judge->samples, side);

		if (!(sum >= model->min_ratio_samples))
			return estimate;
		estimate.floor += fmax(0, 1 / sum - 1 / model->samples[side]);
	}
	model_ratio(model, judge->samples, judge->totals, &ratio);
	model_pool(&ratio, &estimate);
	estimate.known = true;
	estimate.expected = estimate.floor;
	return estimate;
}

/*
 * Against the whole rest, part of which may be the subject's: of counts K and R that have O in
 * common, ln K - ln R varies by 1/K + 1/R - 2 O / (K R).
 */
static double
floor_against_rest(const struct judge *judge, const struct subject *subject)
{
	double floor = 0;

	for (int side = 0; side < MODEL_SIDES; side++) {
		double samples = model_side_sum(judge->model, judge->samples, side);
		double rest = judge->rest[side];
		double shared = subject->shared   ? subject->shared[side]
				: subject->stable ? samples
						  : 0;

		floor += 1 / samples + 1 / rest - 2 * shared / (samples * rest);
	}
	return floor;
}

static struct model_estimate
estimate(const struct judge *judge, const struct subject *subject)
{
	const struct model_subject whole = {.samples = judge->samples, .encloses = true};

	model_samples(judge->model, subject->weights, judge->samples);
	if (judge->sides->basis == FLAMEGRAPH_SHARE)
		return estimate_share(judge);
	struct model_estimate estimate = model_estimate(judge->model, &whole);

	if (estimate.known && estimate.relative) {
		estimate.floor = fmax(estimate.floor, floor_against_rest(judge, subject));
		estimate.expected = estimate.floor;
	}
	return estimate;
}

static double
interval_quantile(struct judge *judge, double df)
{
	if (judge->df != df) {
		judge->df = df;
		judge->interval_quantile = stats_t_quantile(INTERVAL_ALPHA / 2, df);
	}
	return judge->interval_quantile;
}

/*
 * Judges by the noise of sampling alone: binomial for shares; for costs that of Poisson counts,
 * also in the rest that they are compared with.
 */
static bool
is_beyond_counts(const struct judge *judge, const struct flamegraph_change *change)
{
	const struct flamegraph_sides *sides = judge->sides;
	const struct comparison *comparison = sides->comparison;
	double nb = sides->before.samples;
	double na = sides->after.samples;
	double scaled = change->after / sides->drift;
	/* Sums of shares differ in their last digits by the order of adding. */
	double difference = fmax(0, fabs(scaled - change->before) - 1e-9);

	if (comparison->mode == COMPARISON_EXACT)
		return difference > 0;
	double pooled = (change->before * nb + scaled * na) / (nb + na);
	double per_sample = 1 / nb + 1 / na;
	double variance = pooled * per_sample;

	if (sides->basis == FLAMEGRAPH_SHARE)
		variance *= 1 - fmin(pooled, 1);
	if (sides->basis == FLAMEGRAPH_REST)
		variance += pooled * pooled * per_sample / comparison->model.reference_share;
	variance *= fmax(1, judge->model->prior_q);
	/* Both sides were measured in their own sessions, which differ even without a change. */
	variance += 2 * pow(pooled * comparison->model.session_spread, 2);
	return difference * difference > judge->noise_sigmas * judge->noise_sigmas * variance;
}

static struct flamegraph_change
judge_subject(struct judge *judge, const struct subject *subject)
{
	const struct flamegraph_sides *sides = judge->sides;
	double before = subject->before;
	double scaled = subject->after / sides->drift;
	struct flamegraph_change change = {
		.before = before,
		.after = subject->after,
		.ratio = before > 0   ? scaled / before - 1
			 : scaled > 0 ? INFINITY
				      : 0,
		.half = NAN,
	};

	if (!(sides->before.samples > 0) || !(sides->after.samples > 0) ||
		(before <= 0 && scaled <= 0))
		return change;
	struct model_estimate known = estimate(judge, subject);

	if (!known.known || !isfinite(known.log_change) || !(before > 0) || !(scaled > 0)) {
		change.significant = is_beyond_counts(judge, &change);
		return change;
	}
	double df;
	double spread;
	double error = model_error(judge->model, &known, &df, &spread);
	double size = fabs(log1p(change.ratio));

	change.half = interval_quantile(judge, df) * error;
	/* The normal quantile, which is below Student's, decides most cases. */
	change.significant = fabs(change.ratio) >= LEAST_RATIO &&
			     size > judge->noise_sigmas * error &&
			     size > stats_t_quantile(judge->noise_level, df) * error;
	return change;
}

/* Functions that the comparison has tested have its numbers here, in the list and in the text. */
static struct flamegraph_change
change_tested(const struct flamegraph_sides *sides, const struct effect *effect,
	struct flamegraph_change change)
{
	if (!effect->tested || !isfinite(effect->change))
		return change;
	if (sides->by_cost && effect->before_cost > 0 && effect->after_cost > 0) {
		change.before = effect->before_cost *
				comparison_before_scale(sides->comparison, effect) /
				sides->before.cost;
		change.after = effect->after_cost / sides->after.cost;
	}
	change.ratio = effect->change;
	change.half = (log1p(effect->high) - log1p(effect->low)) / 2;
	change.skew = (log1p(effect->high) + log1p(effect->low)) / 2 - log1p(effect->change);
	/* An exact one, or an infinite end, has none. */
	if (!(fabs(change.skew) > 1e-9) || !isfinite(change.skew))
		change.skew = 0;
	change.significant = effect_excludes_none(effect) && fabs(effect->change) >= LEAST_RATIO;
	return change;
}

/* Whether a function has all of its own weight in one node, as `own` by column. */
static bool
is_all_of(const struct functions *functions, frame_id frame, const double *own)
{
	const double *self = functions->self + frame * functions->ncolumns;

	for (size_t column = 0; column < functions->ncolumns; column++)
		if (own[column] != self[column])
			return false;
	return true;
}

/* Weights of a node alone, and with all below it: [i * ncolumns + column]. */
struct node_weights {
	double *self;
	double *total;
	double *shared; /* samples of the stable rest, with all below: [i * MODEL_SIDES + side] */
};

static void
gather(const struct flamegraph_sides *sides, const node_id *nodes, size_t count,
	struct node_weights *weights)
{
	const struct ctree *tree = &sides->comparison->profile.tree;
	size_t ncolumns = sides->comparison->profile.nruns;
	double *scratch = mem_zalloc(tree->nnodes, sizeof(*scratch));

	for (size_t column = 0; column < ncolumns; column++) {
		ctree_sum(tree, column, 1, scratch);
		for (size_t i = 0; i < count; i++)
			weights->self[i * ncolumns + column] = scratch[nodes[i]];
		ctree_totals(tree, scratch);
		for (size_t i = 0; i < count; i++)
			weights->total[i * ncolumns + column] = scratch[nodes[i]];
	}
	free(scratch);
}

static void
gather_shared(const struct flamegraph_sides *sides, const node_id *nodes, size_t count,
	const frame_id *code, struct node_weights *weights)
{
	const struct ctree *tree = &sides->comparison->profile.tree;
	const struct model *model = &sides->comparison->model;
	double *scratch = mem_zalloc(tree->nnodes, sizeof(*scratch));

	for (int side = 0; side < MODEL_SIDES; side++) {
		memset(scratch, 0, tree->nnodes * sizeof(*scratch));
		for (size_t i = model->first[side]; i < model->first[side + 1]; i++) {
			const struct model_run *run = &model->runs[i];

			for (node_id node = 1; node < tree->nnodes; node++) {
				if (model->stable[code[node]])
					scratch[node] +=
						ctree_weight(tree, run->column, node) * run->scale;
			}
		}
		ctree_totals(tree, scratch);
		for (size_t i = 0; i < count; i++)
			weights->shared[i * MODEL_SIDES + (size_t)side] = scratch[nodes[i]];
	}
	free(scratch);
}

void
flamegraph_change_nodes(const struct flamegraph_sides *sides, const node_id *nodes, size_t count,
	struct flamegraph_change *total, struct flamegraph_change *self)
{
	const struct comparison *comparison = sides->comparison;
	size_t ncolumns = comparison->profile.nruns;
	frame_id *code = functions_code(&comparison->profile);
	struct node_weights weights = {
		.self = mem_zalloc(count * ncolumns + 1, sizeof(double)),
		.total = mem_zalloc(count * ncolumns + 1, sizeof(double)),
		.shared = mem_zalloc(count + 1, MODEL_SIDES * sizeof(double)),
	};
	struct judge judge;

	judge_init(&judge, sides);
	gather(sides, nodes, count, &weights);
	if (sides->basis == FLAMEGRAPH_REST)
		gather_shared(sides, nodes, count, code, &weights);
	for (size_t i = 0; i < count; i++) {
		const double *own = weights.self + i * ncolumns;
		struct subject subject = {
			.weights = weights.total + i * ncolumns,
			.before = sides->size_before[nodes[i]],
			.after = sides->size_after[nodes[i]],
			.shared = weights.shared + i * MODEL_SIDES,
		};

		total[i] = judge_subject(&judge, &subject);
		subject = (struct subject){
			.weights = own,
			.before = size_on_side(sides, &sides->before, own),
			.after = size_on_side(sides, &sides->after, own),
			.stable = judge.model->stable[code[nodes[i]]],
		};
		self[i] = judge_subject(&judge, &subject);
		if (is_all_of(&comparison->functions, code[nodes[i]], own))
			self[i] = change_tested(sides, &comparison->self[code[nodes[i]]], self[i]);
		/* Without callees, total and self are the same. */
		if (memcmp(own, weights.total + i * ncolumns, ncolumns * sizeof(*own)) == 0)
			total[i] = self[i];
	}
	judge_release(&judge);
	free(weights.shared);
	free(weights.total);
	free(weights.self);
	free(code);
}

struct flamegraph_change *
flamegraph_change_functions(const struct flamegraph_sides *sides)
{
	size_t nframes = sides->comparison->nframes;
	struct flamegraph_change *changes = mem_zalloc(nframes + 1, sizeof(*changes));
	const struct functions *functions = &sides->comparison->functions;
	struct judge judge;

	judge_init(&judge, sides);
	for (frame_id frame = 1; frame < nframes; frame++) {
		const double *weights = functions->self + frame * functions->ncolumns;
		const struct subject subject = {
			.weights = weights,
			.before = size_on_side(sides, &sides->before, weights),
			.after = size_on_side(sides, &sides->after, weights),
			.stable = judge.model->stable[frame],
		};

		changes[frame] = change_tested(
			sides, &sides->comparison->self[frame], judge_subject(&judge, &subject));
	}
	judge_release(&judge);
	return changes;
}

void
flamegraph_change_put_ratio(const struct flamegraph_change *change, struct buf *out)
{
	double factor = 1 + change->ratio;

	if (!(change->before > 0) || !(change->after > 0)) {
		buf_puts(out, change->after > 0 ? "new" : "gone");
		return;
	}
	/* NAN where the half width is. */
	format_estimate_interval(out, change->ratio, factor * exp(change->skew - change->half) - 1,
		factor * exp(change->skew + change->half) - 1);
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
	double size =
		fabs(log1p(change->ratio)) + 1e-9; /* doubling, computed, may be a little less */
	int level = size < log(1.1) ? 0 : size < log(1.3) ? 1 : size < log(2) ? 2 : 3;

	return change->ratio > 0 ? grown[level] : shrunk[level];
}
