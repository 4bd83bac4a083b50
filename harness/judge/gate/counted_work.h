/*
 * How many more instructions the subject of a test executes, where they were counted. They decide a
 * test that time leaves undecided (decide.h).
 */
#ifndef GATE_COUNTED_WORK_H
#define GATE_COUNTED_WORK_H

#include "gate/judgement.h"
#include "gate/test.h"

/*
 * The change of the instructions of a test's subject. The instructions of the kernel are not
 * counted: for a function of the kernel it is that of its nearest caller outside the kernel, where
 * most of its cost came by one such caller. `code`: the states of the machine code; NULL: not
 * known. The result is of the judgement's arena; NULL where its instructions were not counted.
 */
const struct counted_work *counted_work_of(
	struct judgement *judgement, const struct test *test, const struct code_states *code);

#endif
