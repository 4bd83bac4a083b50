/*
 * Learns from the functions of a comparison the properties that they share: the stable rest of the
 * program, over-dispersion, and the spread between sessions. With these an estimate becomes an
 * effect.
 */
#include "base/mem.h"
#include "compare/model.h"
#include "compare/stats.h"

#include <math.h>
#include <stdlib.h>

/* The stable rest, from which the machine's speed is estimated. */

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

/* Over-dispersion, and the spread between sessions. */

/* Weight, in df, of the spread common to all functions against one function's own. */
#define SPREAD_PRIOR_DF 8
#define LEAST_TO_SHRINK 8
#define MOST_PRIOR_DF 60
/* Below this, the functions of a paired comparison have no over-dispersion in common. */
#define LEAST_PAIRED_PRIOR_DF 4
/* The median of chi-square with one degree of freedom. */
#define CHI2_1_MEDIAN 0.45493642311957
/* Degrees of freedom of a median of squares, relative to those of their sum. */
#define MEDIAN_EFFICIENCY 0.367
/* With fewer functions, another day of the machine looks like a change of one of them. */
#define LEAST_TO_SPREAD 5
/* Normal quantile of the 0.5 % level at which most functions count as moved by the day. */
#define RARE 2.576

static void
learn_dispersion(struct model *model, const struct model_estimate *estimates, size_t count)
{
	double *q = mem_zalloc(count, 2 * sizeof(*q));
	double *df = q + count;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (!estimates[i].known || !(estimates[i].df > 0) || !(estimates[i].expected > 0))
			continue;
		q[n] = estimates[i].variance / estimates[i].expected;
		df[n++] = estimates[i].df;
	}
	if (n >= LEAST_TO_SHRINK) {
		double mean = stats_sum(q, n) / (double)n;
		double mean_df = stats_sum(df, n) / (double)n;

		for (size_t i = 0; i < n; i++)
			q[i] = (q[i] - mean) * (q[i] - mean);
		double cv2 = mean > 0 ? stats_sum(q, n) / (double)(n - 1) / (mean * mean) : 0;
		double excess = (cv2 - 2 / mean_df) / (1 + 2 / mean_df);

		double prior_df = excess > 0 ? fmin(MOST_PRIOR_DF, 2 / excess) : MOST_PRIOR_DF;

		if (model->options.mode == COMPARISON_PAIRED && prior_df < LEAST_PAIRED_PRIOR_DF)
			prior_df = 0;
		model->prior_q = mean;
		model->prior_df = prior_df;
	}
	free(q);
}

/* V of an estimate, shrunk; *df: its degrees of freedom. */
static double
shrunk_variance(const struct model *model, const struct model_estimate *estimate, double *df)
{
	double prior = estimate->expected > 0 ? model->prior_df : 0;

	*df = prior + estimate->df;
	if (!(*df > 0)) {
		*df = INFINITY;
		return estimate->floor;
	}
	/* Whole cost has no binomial part, and nothing to shrink towards. */
	double variance =
		(prior * model->prior_q * estimate->expected + estimate->df * estimate->variance) /
		*df;

	return fmax(estimate->floor, variance);
}

double
model_sessions_apart(const struct model *model)
{
	return 1 / (double)model->nsessions[MODEL_BEFORE] +
	       1 / (double)model->nsessions[MODEL_AFTER];
}

/* A quantile of chi-square over its degrees of freedom (Wilson and Hilferty 1931). */
static double
chi2_part(double df, double normal_quantile)
{
	return pow(1 - 2 / (9 * df) + normal_quantile * sqrt(2 / (9 * df)), 3);
}

/*
 * The spread common to all functions, from the median of theirs: one function that is bimodal, as
 * an allocator may be, must not make all others uncertain. Its own spread counts for itself.
 */
static void
learn_spread(struct model *model, const struct model_estimate *estimates, size_t count)
{
	double *variances = mem_zalloc(count, sizeof(*variances));
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (estimates[i].known && !isnan(estimates[i].spread_variance))
			variances[n++] = estimates[i].spread_variance;
	}
	if (n > 0) {
		double df = (double)(model->nsessions[MODEL_BEFORE] - 1);
		double common = stats_median(variances, n) / chi2_part(df, 0);

		model->session_spread = sqrt(fmax(common, MODEL_LEAST_SPREAD * MODEL_LEAST_SPREAD));
		model->session_df = SPREAD_PRIOR_DF + df;
		model->session_spread_from = SPREAD_OF_SESSIONS;
	}
	free(variances);
}

/*
 * The S with which the median of L^2 / (V + S) is `median`: that exceeds it where L^2 / median - V
 * exceeds S, so S is the median of these. scratch[n] is overwritten.
 */
static double
spread_with_median(
	const double *squares, const double *variances, size_t n, double median, double *scratch)
{
	for (size_t i = 0; i < n; i++)
		scratch[i] = squares[i] / median - variances[i];
	return stats_median(scratch, n);
}

/*
 * A change of a program slows few of its functions; a machine on another day moves most of them, up
 * and down. Where sessions are too few to learn their spread from, it is at least that.
 */
static void
learn_spread_of_functions(struct model *model, const struct model_estimate *estimates, size_t count)
{
	double *squares = mem_zalloc(count, 3 * sizeof(*squares));
	double *variances = squares + count;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		const struct model_estimate *estimate = &estimates[i];
		double ignored;

		if (!estimate->known || !estimate->relative || !isfinite(estimate->log_change))
			continue;
		squares[n] = estimate->log_change * estimate->log_change;
		variances[n++] = shrunk_variance(model, estimate, &ignored);
	}
	double apart = model_sessions_apart(model);
	double assumed = model->session_spread * model->session_spread * apart;
	double df = MEDIAN_EFFICIENCY * (double)n;
	double *scratch = variances + count;

	if (n >= LEAST_TO_SPREAD &&
		spread_with_median(squares, variances, n, chi2_part(df, RARE) * CHI2_1_MEDIAN,
			scratch) > assumed) {
		double between = spread_with_median(squares, variances, n, CHI2_1_MEDIAN, scratch);

		model->session_spread = sqrt(between / apart);
		model->session_df = df;
		model->session_spread_from = SPREAD_OF_FUNCTIONS;
	}
	free(squares);
}

void
model_learn(struct model *model, const struct model_estimate *estimates, size_t count)
{
	learn_dispersion(model, estimates, count);
	learn_spread(model, estimates, count);
	/* In a comparison of shares, one function's growth moves all others. */
	if (model->options.spread_of_functions && model->session_spread_from == SPREAD_ASSUMED &&
		!model->fixed_length && !model->shares)
		learn_spread_of_functions(model, estimates, count);
}

/* From estimates to effects: the spread between sessions, intervals and p. */

/* 95 % power. */
#define MISS_PROBABILITY 0.05

/* S: the part of the variance that sessions add. */
static double
spread_variance(const struct model *model, const struct model_estimate *estimate, double *df)
{
	double sigma2 = model->machine_spread * model->machine_spread;

	*df = model->machine_df;
	if (estimate->relative) {
		sigma2 = model->session_spread * model->session_spread;
		*df = model->session_df;
		if (!isinf(*df) && !isnan(estimate->spread_variance)) {
			double own_df = *df - SPREAD_PRIOR_DF;

			sigma2 = (SPREAD_PRIOR_DF * sigma2 +
					 own_df * fmax(0, estimate->spread_variance)) /
				 *df;
		}
	}
	return sigma2 * model_sessions_apart(model);
}

/* The growth, in ln, that counts as none. Whole cost is tested by Student's test as it is. */
static double
margin_of(const struct model *model, const struct model_estimate *estimate,
	const struct effect *effect)
{
	if (model->options.mode != COMPARISON_PAIRED || !(estimate->expected > 0))
		return 0;
	return log1p(MODEL_PAIRED_WORTH / effect->before_share);
}

double
model_share_of_before(const struct model *model, const struct effect *effect)
{
	double before = model->mean_cost[MODEL_BEFORE];

	if (isfinite(model->machine_speed))
		before *= model->machine_speed;
	return before > 0 ? effect->after_share * model->mean_cost[MODEL_AFTER] / before
			  : effect->after_share;
}

double
model_error(const struct model *model, const struct model_estimate *estimate, double *df,
	double *spread)
{
	double spread_df;
	double runs_df;
	double variance = shrunk_variance(model, estimate, &runs_df);
	double between = spread_variance(model, estimate, &spread_df);

	*df = between > 0 ? stats_satterthwaite(variance, runs_df, between, spread_df) : runs_df;
	*spread = sqrt(between);
	return sqrt(variance + between);
}

void
model_conclude(
	const struct model *model, const struct model_estimate *estimate, struct effect *effect)
{
	if (!estimate->known || !isfinite(estimate->log_change))
		return;
	double df;
	double spread;
	double error = model_error(model, estimate, &df, &spread);
	double margin = margin_of(model, estimate, effect);

	effect->tested = true;
	effect->relative = estimate->relative;
	effect->standard_error = error;
	effect->df = df;
	effect->spread = spread;
	effect->change = expm1(estimate->log_change);
	effect->margin = expm1(margin);
	effect->alpha = model->options.alpha;
	model_set_interval(effect, effect->alpha);
	double beyond = fabs(estimate->log_change) - margin;

	if (error > 0)
		effect->p = fmin(1, 2 * stats_t_survival(beyond / error, df));
	else
		effect->p = beyond > 0 ? 0 : 1;
	if (estimate->floor > 0 && estimate->df > 0)
		effect->overdispersion = estimate->variance / estimate->floor;
}

void
model_set_interval(struct effect *effect, double alpha)
{
	double middle = log1p(effect->change);
	double reach = stats_t_quantile(alpha / 2, effect->df) * effect->standard_error +
		       log1p(effect->margin);

	effect->low = expm1(middle - reach);
	effect->high = expm1(middle + reach);
}

double
model_upper_limit(const struct effect *effect, double alpha)
{
	return expm1(log1p(effect->change) +
		     stats_t_quantile(alpha, effect->df) * effect->standard_error);
}

double
model_detectable_reach(double df, double alpha)
{
	return stats_t_quantile(alpha / 2, df) + stats_t_quantile(MISS_PROBABILITY, df);
}

double
model_detectable(double margin, double standard_error, double df, double alpha)
{
	return expm1(log1p(margin) + model_detectable_reach(df, alpha) * standard_error);
}
