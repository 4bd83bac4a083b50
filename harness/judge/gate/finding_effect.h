/*
 * The effect of a test as its finding shows it, which is not always the effect that decided the
 * test.
 *
 * Estimates of what failed before the last look are selected for being large. They are reduced by
 * their expected excess, E[x - mu | x > b] for a normal x with the mean that was estimated, b being
 * the smallest estimate that fails (Whitehead, "On the bias of maximum likelihood estimation
 * following a sequential test", Biometrika 73, 1986: the bias at the estimate is subtracted). That
 * is at most 0.8 of a standard error, and next to nothing for an estimate far above b. The interval
 * needs no such correction: it is that of the level at which the test was made at this look (a
 * repeated confidence interval; Jennison and Turnbull, Journal of the Royal Statistical Society B
 * 51, 1989).
 *
 * Estimates at the last look are not reduced. In the simulation of looks.c, as many tests failed
 * falsely with a reduction there, and with over-dispersion 94.0 % of slowdowns were found.
 */
#ifndef GATE_FINDING_EFFECT_H
#define GATE_FINDING_EFFECT_H

#include "gate/judgement.h"

/*
 * The effect of the test, corrected where it was selected for being large, with costs
 * that agree with its change. An empty effect where nothing was tested.
 */
struct effect finding_effect(const struct judgement *judgement, const struct test *test);

/*
 * The cost after less the cost before, by that effect, at the machine's speed after; 0 where it is
 * not known.
 */
double finding_growth_of(const struct judgement *judgement, const struct test *test);

/*
 * An estimate with this standard error, less its expected excess where it was selected for being
 * above `boundary`.
 */
double effect_unselected(double estimate, double error, double boundary);

#endif
