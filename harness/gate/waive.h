/*
 * Waivers: growth that was accepted for a while changes no verdict, and is said all the same.
 */
#ifndef GATE_WAIVE_H
#define GATE_WAIVE_H

#include "gate/judgement.h"

/*
 * Sets evidence.waiver of the decided tests that warn or fail, or would fail and are still to be
 * measured again: the one that accepts the growth, or else one that does not. Of a function that is
 * new, the growth is its share of the program.
 */
void waive_tests(struct judgement *judgement);

#endif
