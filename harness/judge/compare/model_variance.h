/*
 * The ratio estimator of the model and its variance: see model.h for the formulas.
 */
#ifndef COMPARE_MODEL_VARIANCE_H
#define COMPARE_MODEL_VARIANCE_H

#include "compare/model.h"

#include <stdbool.h>

/* The sum over the runs of one side of values[nruns]. */
double model_side_sum(const struct model *model, const double *values, int side);
/* Whether rest[nruns], samples by run, is large enough on both sides to compare a subject with. */
bool model_rest_is_large(const struct model *model, const double *rest);

/* However alike the sessions of a baseline were, the next one may differ by this much. */
#define MODEL_LEAST_SPREAD 0.0025

/* Weight, in df, of the spread common to all functions against one function's own. */
#define MODEL_SPREAD_PRIOR_DF 8

/* ln(sum of numerator / sum of denominator) of each side, with its variance. */
struct model_ratio {
	double log_ratio[MODEL_SIDES];
	double variance[MODEL_SIDES]; /* from residuals within sessions; 0 where df is 0 */
	double df[MODEL_SIDES];
	double size[MODEL_SIDES]; /* sum of the denominator: variances go with its inverse */
};

/* `numerator` and `denominator` are by run; a NULL denominator is 1 for each. */
void model_ratio(const struct model *model, const double *numerator, const double *denominator,
	struct model_ratio *ratio);

/*
 * The difference of both sides, its variance and degrees of freedom; a side whose variance is not
 * known gets that of the other, scaled by size.
 */
void model_pool(const struct model_ratio *ratio, struct model_estimate *estimate);

/*
 * The variance of ln(numerator / denominator) between the sessions before, less the part that the
 * variance within them explains; NAN if not known. May be negative.
 */
double model_session_variance(
	const struct model *model, const double *numerator, const double *denominator);

/* V of an estimate, shrunk; *df: its degrees of freedom. */
double model_shrunk_variance(
	const struct model *model, const struct model_estimate *estimate, double *df);

#endif
