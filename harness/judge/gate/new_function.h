/* New functions: they had no cost of their own before that a growth could be computed from. */
#ifndef GATE_NEW_FUNCTION_H
#define GATE_NEW_FUNCTION_H

#include "gate/judgement.h"

#include <stdbool.h>

/*
 * Whether what a new function, or a new group of functions, costs now is worth reporting: `floor`
 * of the whole program before, and `min_cost`, both at the machine's speed before. A cause that is
 * new (attribution.h) needs no such condition: it stands for growths that were found to matter.
 */
bool new_function_matters(const struct judgement *judgement, const struct effect *effect);

/*
 * A test of the growth of what calls a new function, with all it calls: of its nearest callers that
 * are not new themselves, as one group (gate/group_growth.h). Where the function was called before,
 * and only its own cost is new, the group is the function itself; *was_called says so. NULL where
 * there are no such callers, or too few samples.
 */
const struct test *new_function_callers_test(
	struct judgement *judgement, frame_id frame, bool *was_called);

#endif
