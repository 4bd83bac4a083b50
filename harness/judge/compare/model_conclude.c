/* From estimates to effects: the spread between sessions, intervals and p. */
#include "compare/model.h"

#include "compare/stats.h"

#include <math.h>

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
			double own_df = *df - MODEL_SPREAD_PRIOR_DF;

			sigma2 = (MODEL_SPREAD_PRIOR_DF * sigma2 +
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
	double variance = model_shrunk_variance(model, estimate, &runs_df);
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
