#include "gate/finding_effect.h"

#include "compare/stats.h"

#include <math.h>

double
effect_unselected(double estimate, double error, double boundary)
{
	const double above = (estimate - boundary) / error;

	if (!(error > 0) || !isfinite(above))
		return estimate;
	const double density = exp(-above * above / 2) / sqrt(2 * M_PI);
	const double selected = erfc(-above / M_SQRT2) / 2;

	return selected > 0 ? estimate - error * density / selected : estimate;
}

/* The smallest estimate, in ln, with which it fails before the last look. */
static double
boundary_of(const struct test *test, const struct criteria *criteria)
{
	const struct effect *effect = test_effect(test);
	const double level = criteria->alpha * fmin(1, effect->p / effect->p_adjusted);
	const double significant = log1p(effect->margin) +
				   stats_t_quantile(level / 2, effect->df) * effect->standard_error;
	const double above = log1p(test->limits.fail_at) + log1p(effect->margin) +
			     stats_t_quantile(criteria->alpha * criteria->part / 2, effect->df) *
				     effect->standard_error;

	return effect->p_adjusted > 0 ? fmax(significant, above) : above;
}

/* An effect that fails early was selected for being large: finding_effect.h. */
static void
correct_selected(const struct judgement *judgement, const struct test *test, struct effect *effect)
{
	const struct criteria *criteria = &judgement->criteria;

	if (!criteria->early || test->kind != TEST_GROWTH ||
		test->decision.by_runs != STATUS_FAIL || test->decision.by_instructions)
		return;
	effect->change = expm1(effect_unselected(
		log1p(effect->change), effect->standard_error, boundary_of(test, criteria)));
}

/*
 * Before, after and change are one statement: the cost before is what it makes of the cost after.
 * The estimate is one of pairs, or relative to the stable rest, or corrected, and the mean of all
 * runs before need not be the same.
 */
static void
agree_costs(const struct judgement *judgement, struct effect *effect)
{
	const double scale = comparison_before_scale(&judgement->comparison, effect);

	if (judgement->compared && !effect_is_exact(effect) && isfinite(effect->before_cost) &&
		effect->after_cost > 0 && effect->change > -1 && scale > 0)
		effect->before_cost = effect->after_cost / (1 + effect->change) / scale;
}

struct effect
finding_effect(const struct judgement *judgement, const struct test *test)
{
	struct effect effect;

	effect_clear(&effect);
	if (test->all)
		effect = *test_effect(test);
	effect.tested = effect.tested && test_is_corrected(test);
	if (effect.tested)
		correct_selected(judgement, test, &effect);
	if (effect.tested)
		agree_costs(judgement, &effect);
	return effect;
}

double
finding_growth_of(const struct judgement *judgement, const struct test *test)
{
	const struct effect effect = finding_effect(judgement, test);
	const double scale = comparison_before_scale(&judgement->comparison, &effect);
	const double before = effect.before_cost > 0 ? effect.before_cost * scale : 0;

	return effect.after_cost > 0 ? effect.after_cost - before : 0;
}
