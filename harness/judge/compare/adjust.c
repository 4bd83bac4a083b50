#include "compare/adjust.h"

#include "base/mem.h"
#include "compare/stats.h"

#include <math.h>
#include <stdlib.h>

/* The factor by which p was multiplied; its largest value where p_adjusted was capped at 1. */
static double
holm_factor(const struct effect *effect, double most)
{
	return effect->p > 0 && effect->p_adjusted < 1 ? effect->p_adjusted / effect->p : most;
}

void
comparison_adjust(struct effect **effects, size_t neffects, size_t elsewhere, double alpha)
{
	const struct comparison_parts all = {1, 1};

	comparison_adjust_part(effects, neffects, elsewhere, alpha, all);
}

void
comparison_adjust_part(struct effect **effects, size_t neffects, size_t elsewhere, double alpha,
	struct comparison_parts parts)
{
	double *p = mem_zalloc(neffects, 2 * sizeof(*p));
	double *adjusted = p + neffects;
	size_t ntested = elsewhere;

	for (size_t i = 0; i < neffects; i++) {
		p[i] = effects[i]->tested ? effects[i]->p / parts.test : NAN;
		ntested += effects[i]->tested;
	}
	stats_holm(p, adjusted, neffects, elsewhere);
	double df = NAN;
	double reach = NAN;

	for (size_t i = 0; i < neffects; i++) {
		struct effect *effect = effects[i];

		effect->p_adjusted = adjusted[i];
		if (!effect->tested)
			continue;
		/* Functions with the same degrees of freedom share it. */
		if (effect->df != df) {
			df = effect->df;
			reach = model_detectable_reach(df, alpha * parts.rest / (double)ntested);
		}
		effect->detectable = expm1(log1p(effect->margin) + reach * effect->standard_error);
		effect->alpha = alpha;
		model_set_interval(
			effect, alpha / holm_factor(effect, (double)ntested / parts.test));
	}
	free(p);
}

void
comparison_adjust_alone(struct comparison *comparison, double alpha)
{
	struct effect **effects = mem_zalloc(comparison->nframes, sizeof(struct effect *));
	size_t n = 0;

	for (size_t i = 0; i < comparison->nframes; i++) {
		if (comparison->self[i].tested)
			effects[n++] = &comparison->self[i];
	}
	if (comparison->whole.tested)
		effects[n++] = &comparison->whole;
	comparison_adjust(effects, n, 0, alpha);
	free(effects);
}
