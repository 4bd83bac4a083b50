/* From estimates to effects: shrinking, the spread between sessions, intervals and p. */
#include "base/mem.h"
#include "compare/model_variance.h"
#include "compare/stats.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_TO_SHRINK 8
#define MOST_PRIOR_DF 60
/* Functions of a paired comparison that agree less than that have nothing in common. */
#define LEAST_PAIRED_PRIOR_DF 4
/* How much the spread common to all functions counts against one function's own. */
#define SPREAD_PRIOR_DF 8
/* 95 % power. */
#define MISS_PROBABILITY 0.05

static void
learn_dispersion(struct model *model, const struct model_estimate *estimates, size_t count)
{
	double *q = mem_zalloc(count + 1, 2 * sizeof(*q));
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

/* The median of chi-square over its degrees of freedom (Wilson and Hilferty 1931). */
static double
chi2_median_part(double df)
{
	return pow(1 - 2 / (9 * df), 3);
}

/*
 * The spread common to all functions, from the median of theirs: one function that is bimodal, as
 * an allocator may be, must not make all others uncertain. Its own spread counts for itself.
 */
static void
learn_spread(struct model *model, const struct model_estimate *estimates, size_t count)
{
	double *variances = mem_zalloc(count + 1, sizeof(*variances));
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (estimates[i].known && !isnan(estimates[i].spread_variance))
			variances[n++] = estimates[i].spread_variance;
	}
	if (n > 0) {
		double df = (double)(model->nsessions[MODEL_BEFORE] - 1);
		double common = stats_median(variances, n) / chi2_median_part(df);

		model->session_spread = sqrt(fmax(common, MODEL_LEAST_SPREAD * MODEL_LEAST_SPREAD));
		model->session_df = SPREAD_PRIOR_DF + df;
		model->session_spread_learned = true;
	}
	free(variances);
}

void
model_learn(struct model *model, const struct model_estimate *estimates, size_t count)
{
	learn_dispersion(model, estimates, count);
	learn_spread(model, estimates, count);
}

/* V, and its degrees of freedom. */
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

/* S: what the sessions add to the variance. */
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
	return sigma2 * (1 / (double)model->nsessions[MODEL_BEFORE] +
				1 / (double)model->nsessions[MODEL_AFTER]);
}

/* The growth, in ln, that is held to be none. Whole cost is tested by Student's test as it is. */
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
model_detectable_reach(double df, double alpha)
{
	return stats_t_quantile(alpha / 2, df) + stats_t_quantile(MISS_PROBABILITY, df);
}

double
model_detectable(double standard_error, double df, double alpha)
{
	return expm1(model_detectable_reach(df, alpha) * standard_error);
}
