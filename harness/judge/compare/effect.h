/*
 * The effect on one subject, with its uncertainty. Plain data between compare/, gate/ and output/.
 *
 * Changes are relative: 0.07 is +7 %. NAN where something could not be computed.
 */
#ifndef COMPARE_EFFECT_H
#define COMPARE_EFFECT_H

#include "base/buf.h"

#include <stdbool.h>

struct effect {
	double before_cost; /* mean cost per execution, in the metric's unit; NAN without a baseline
			     */
	double after_cost;
	double before_share; /* of the whole, 0..1; NAN without a baseline */
	double after_share;
	double before_weight; /* samples, all runs together */
	double after_weight;

	bool tested;   /* the fields below are set */
	bool relative; /* `change` is relative to the stable rest, not one of plain costs */
	double change; /* estimate: after / before - 1, of costs or relative to the stable rest */
	double low, high;  /* confidence interval of `change`, spread and margin included; corrected
			      with p: then it excludes 0 exactly where p_adjusted < alpha */
	double alpha;      /* of the interval: 1 - alpha for all corrected together */
	double margin;     /* a change up to this counts as none, in interval, p and `detectable` */
	double p;          /* two-sided: no change beyond margin, spread included; not corrected */
	double p_adjusted; /* Holm over everything the gate tested */
	/*
	 * The smallest growth that stays significant among all that the gate tests, with 95 %
	 * power, the spread between sessions included; see model.h.
	 */
	double detectable;
	double overdispersion; /* variance over the binomial one; 1 is ideal */
	double standard_error; /* of ln(1 + change), spread included */
	double df;             /* its degrees of freedom; may be INFINITY */
	double spread;         /* the part of it that sessions add, as an SD */
};

/* An effect of which nothing is known. */
void effect_clear(struct effect *effect);

/* Every run of a side has the same cost, as counts do: the change has no uncertainty. */
bool effect_is_exact(const struct effect *effect);

/* Whether its interval excludes 0, so that the direction of the change is known. */
bool effect_excludes_none(const struct effect *effect);

/* Effects as text; the numbers are formatted by format/figures.h. All append to `out`. */

/* "+7.2 %"; "0 %" where there is exactly no change; "-" if not known. */
void effect_put_change(const struct effect *effect, struct buf *out);
/* "[4.9, 9.6]", in the unit of the change; nothing if not known. */
void effect_put_interval(const struct effect *effect, struct buf *out);
/* "+7.2 % (95 % CI 4.9 to 9.6)", or "+0.110 %, the same in every run". */
void effect_put_estimate(const struct effect *effect, struct buf *out);
/* "4e-4": corrected, where it has been. */
void effect_put_p(const struct effect *effect, struct buf *out);
/*
 * The growth that the interval's upper end leaves possible: "at most 2.1 % slower", "not slower",
 * or "slower by any amount". `slower` is the word for growth: weights_growth_word().
 */
void effect_put_most(const struct effect *effect, const char *slower, struct buf *out);
/*
 * "+7.2 % (95 % CI 4.9 to 9.6), p 4e-4, detectable from 5.9 %". Where nothing was tested, the
 * shares "10.0 % -> 12.5 % of the whole"; nothing if they are not known either.
 */
void effect_describe(const struct effect *effect, struct buf *out);

#endif
