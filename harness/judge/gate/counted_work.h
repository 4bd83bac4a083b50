/*
 * How much more work a function does, by counted instructions: what decides where time does not.
 */
#ifndef GATE_COUNTED_WORK_H
#define GATE_COUNTED_WORK_H

#include "gate/judgement.h"
#include "gate/test.h"

/*
 * The work of what a test of growth is about. The instructions of the kernel are not counted: a
 * function of the kernel has the work of its nearest callers outside, where most of its cost came
 * by one of them. `code`: what is known of the machine code; NULL: nothing. Of the judgement's
 * arena; NULL where it was not counted.
 */
const struct counted_work *counted_work_of(
	struct judgement *judgement, const struct test *test, const struct code_states *code);

#endif
