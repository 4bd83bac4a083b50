#include "flamegraph/change.h"

#include "base/escape.h"
#include "base/mem.h"
#include "compare/model.h"
#include "compare/stats.h"
#include "format/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
			.before = flamegraph_size_on_side(sides, &sides->before, own),
			.after = flamegraph_size_on_side(sides, &sides->after, own),
			.stable = judge.model->stable[code[nodes[i]]],
		};
		self[i] = judge_subject(&judge, &subject);
		if (is_all_of(comparison_functions(comparison), code[nodes[i]], own))
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
	const struct functions *functions = comparison_functions(sides->comparison);
	struct judge judge;

	judge_init(&judge, sides);
	for (frame_id frame = 1; frame < nframes; frame++) {
		const double *weights = functions->self + frame * functions->ncolumns;
		const struct subject subject = {
			.weights = weights,
			.before = flamegraph_size_on_side(sides, &sides->before, weights),
			.after = flamegraph_size_on_side(sides, &sides->after, weights),
			.stable = judge.model->stable[frame],
		};

		changes[frame] = change_tested(
			sides, &sides->comparison->self[frame], judge_subject(&judge, &subject));
	}
	judge_release(&judge);
	return changes;
}

void
flamegraph_change_put_costs(const struct flamegraph_sides *sides,
	const struct flamegraph_change *change, struct buf *out)
{
	double before = change->before * sides->before.cost;

	if (format_is_scaled(sides->unit))
		format_cost(out, before, sides->unit);
	else
		format_count(out, before);
	buf_puts(out, FLAMEGRAPH_ARROW);
	format_cost_as(out, change->after * sides->after.cost, sides->unit, escape_xml);
	if (*sides->per)
		buf_printf(out, " per %s", sides->per);
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

bool
flamegraph_change_is_same(const struct flamegraph_change *a, const struct flamegraph_change *b)
{
	return a->before == b->before && a->after == b->after && a->ratio == b->ratio &&
	       (a->half == b->half || (isnan(a->half) && isnan(b->half))) && a->skew == b->skew &&
	       a->significant == b->significant;
}
