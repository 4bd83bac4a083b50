/*
 * Holm's correction of effects for the number of tests of a gate: p, the confidence interval and
 * the detectable change of each.
 */
#ifndef COMPARE_ADJUST_H
#define COMPARE_ADJUST_H

#include "compare/comparison.h"
#include "compare/effect.h"

#include <stddef.h>

/*
 * Holm's correction over all tested effects of a gate, in place: p_adjusted, the interval, and the
 * minimal detectable effect of each at level alpha / tests. `effects` are borrowed pointers to
 * everything tested in the workloads at hand. `elsewhere` is the number of further tests of the
 * same gate: their p counts as 1, so that no p_adjusted here is smaller than the correction over
 * all tests would give.
 */
void comparison_adjust(struct effect **effects, size_t neffects, size_t elsewhere, double alpha);

/* The parts of alpha that one correction spends; other corrections spend the others. */
struct comparison_parts {
	double test; /* by which these tests are judged; 0 to 1 */
	double rest; /* that they may have at most, by which the detectable change is computed */
};

/*
 * Holm's correction with a part of alpha only: each p counts 1 / part times. An effect then is
 * significant where p_adjusted <= alpha, and its interval is of that level.
 */
void comparison_adjust_part(struct effect **effects, size_t neffects, size_t elsewhere,
	double alpha, struct comparison_parts parts);

/* Holm's correction over the tests of one comparison, for a comparison without a gate. */
void comparison_adjust_alone(struct comparison *comparison, double alpha);

#endif
