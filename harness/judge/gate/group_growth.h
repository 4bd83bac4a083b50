/*
 * A test of a group of functions with all they call, beside the tests that the rules add.
 */
#ifndef GATE_GROUP_GROWTH_H
#define GATE_GROUP_GROWTH_H

#include "gate/judgement.h"

#include <stdbool.h>

/*
 * A test of the growth of the functions with member[frame] set, with all they call, as one group:
 * by the thresholds of functions, in as many stages as the gate has, with the error budget of one
 * more test in each. The judgement's arena has it. NULL where a side has too few samples.
 */
struct test *group_growth_test(struct judgement *judgement, const bool *member);

/*
 * How many more instructions the functions with member[frame] set execute by themselves, and
 * `added`, a new function (0: none), as a part of the instructions of the whole program before. How
 * many they execute with all they call is not known; the change would be a smaller part of that.
 * NULL where instructions were not counted.
 */
const struct counted_work *group_growth_work(
	struct judgement *judgement, const bool *member, frame_id added);

#endif
