/*
 * The properties that the functions of a comparison share, learned from their estimates:
 * over-dispersion and the spread between sessions.
 */
#include "compare/model.h"

#include "base/mem.h"
#include "compare/stats.h"

#include <math.h>
#include <stdlib.h>

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

double
model_shrunk_variance(const struct model *model, const struct model_estimate *estimate, double *df)
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
		model->session_df = MODEL_SPREAD_PRIOR_DF + df;
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
		variances[n++] = model_shrunk_variance(model, estimate, &ignored);
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
