#include "gate/effort.h"

#include "compare/stats.h"

#include <math.h>

/* As model_detectable() has it: 95 % power. */
#define MISS_PROBABILITY 0.05

/* More runs until the standard error is `wanted`. */
static double
runs_for_error(const struct effect *effect, double wanted, const struct effort_runs *runs)
{
	double error2 = effect->standard_error * effect->standard_error;
	double fixed = effect->spread * effect->spread;
	double changing = error2 - fixed;

	if (!runs->adds_before) {
		/* With sides alike, the part of each is proportional to 1 / its number of runs. */
		double part = (1 / runs->after) / (1 / runs->before + 1 / runs->after);

		fixed += changing * (1 - part);
		changing *= part;
	}
	if (!(wanted > 0) || wanted * wanted <= fixed)
		return INFINITY;
	double runs_now = runs->adds_before ? fmin(runs->before, runs->after) : runs->after;

	return fmax(0, ceil(runs_now * (changing / (wanted * wanted - fixed) - 1)));
}

/*
 * The errors beyond the margin at which it is significant after Holm, from the detectable effect:
 * that is (t_alpha/m + t_0.05) of them.
 */
static double
holm_level(const struct effect *effect, double margin)
{
	return (log1p(effect->detectable) - margin) / effect->standard_error -
	       stats_t_quantile(MISS_PROBABILITY, effect->df);
}

double
effort_more_runs(
	const struct effect *effect, double asked, double alpha, const struct effort_runs *runs)
{
	double margin = isfinite(effect->margin) ? log1p(effect->margin) : 0;
	double estimate = log1p(effect->change);
	double goal = log1p(asked);
	double both = (log1p(effect->detectable) - margin) / effect->standard_error;
	double level = holm_level(effect, margin);
	double best = INFINITY;

	if (!(effect->standard_error > 0) || !isfinite(both))
		return INFINITY;
	best = fmin(best, runs_for_error(effect, (goal - margin) / both, runs));
	if (estimate < goal)
		best = fmin(best,
			runs_for_error(effect,
				(goal - estimate) / stats_t_quantile(alpha, effect->df), runs));
	else
		best = fmin(best, runs_for_error(effect, (estimate - margin) / level, runs));
	return isfinite(best) ? fmax(1, best) : best;
}

/* P(X < x) of a standard normal X. */
static double
normal(double x)
{
	return erfc(-x / M_SQRT2) / 2;
}

double
effort_chance(const struct effect *effect, double asked, double alpha, double now, double most)
{
	const double estimate = log1p(effect->change);
	const double goal = log1p(asked);
	const double margin = isfinite(effect->margin) ? log1p(effect->margin) : 0;
	const double error = effect->standard_error * sqrt(now / most);
	const double spread = effect->standard_error * sqrt(1 - now / most);

	if (!(spread > 0))
		return 0;
	const double passes = goal - stats_t_quantile(alpha, INFINITY) * error;
	const double fails = fmax(goal, margin + holm_level(effect, margin) * error);

	return normal((passes - estimate) / spread) + normal((estimate - fails) / spread);
}
