/*
 * Whether a new function made the program slower: its callers as one group.
 */
#ifndef GATE_NEW_CALLERS_H
#define GATE_NEW_CALLERS_H

#include "gate/judgement.h"

/*
 * A test of the growth of what calls the function (the nearest that are not new themselves) with
 * all they call, by functions' thresholds, in as many stages as the gate has, with the error budget
 * of one more test each. Of the judgement's arena; NULL if there are none, or too few samples.
 */
const struct test *callers_test(struct judgement *judgement, frame_id frame);

#endif
