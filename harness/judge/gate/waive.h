/*
 * Waivers: growth that is accepted for a time changes no verdict, but is still reported.
 */
#ifndef GATE_WAIVE_H
#define GATE_WAIVE_H

#include "gate/judgement.h"

/*
 * Sets evidence.waiver of the decided tests that warn or fail, or would fail and are still to be
 * measured again: the one that accepts the growth, or else one that does not. The growth of a new
 * function is its share of the program.
 */
void waive_tests(struct judgement *judgement);

#endif
