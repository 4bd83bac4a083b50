/*
 * The effect on one subject, with its uncertainty. Plain data between compare/, gate/ and output/.
 *
 * Changes are relative: 0.07 is +7 %. NAN where something could not be computed.
 */
#ifndef COMPARE_EFFECT_H
#define COMPARE_EFFECT_H

#include <stdbool.h>

struct effect {
	double before_cost; /* mean cost a run, in the metric's unit; NAN without a baseline */
	double after_cost;
	double before_share; /* of the whole, 0..1 */
	double after_share;
	double before_weight; /* samples, all runs together */
	double after_weight;

	bool tested;       /* what is below holds */
	double change;     /* estimate: after / before - 1, of costs or relative to the stable rest */
	double low, high;  /* confidence interval of `change`, 1 - alpha, not corrected */
	double p;          /* one-sided: no growth; not corrected */
	double p_adjusted; /* Holm over everything the gate tested */
	double detectable; /* smallest growth these runs show with 95 % power at the corrected level */
	double overdispersion; /* variance over the binomial one; 1 is ideal */
};

#endif
