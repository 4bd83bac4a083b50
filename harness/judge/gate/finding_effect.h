/*
 * The effect of a test as its finding shows it, which is not always the effect that decided the
 * test.
 */
#ifndef GATE_FINDING_EFFECT_H
#define GATE_FINDING_EFFECT_H

#include "gate/judgement.h"

/*
 * The effect of the test, corrected where it was selected for being large (looks.h), with costs
 * that agree with its change. An empty effect where nothing was tested.
 */
struct effect finding_effect(const struct judgement *judgement, const struct test *test);

/*
 * The cost after less the cost before, by that effect, at the machine's speed after; 0 where it is
 * not known.
 */
double finding_growth_of(const struct judgement *judgement, const struct test *test);

#endif
