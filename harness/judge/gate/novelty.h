/*
 * New functions: their callers, which tell whether it is a new cost.
 */
#ifndef GATE_NOVELTY_H
#define GATE_NOVELTY_H

#include "gate/judgement.h"
#include "gate/test.h"

/*
 * Whether a new function made the program slower: a test of the growth of what calls it (the
 * nearest that are not new themselves) with all they call, by functions' thresholds, in as many
 * stages as the gate has, with the error budget of one more test each. Of the judgement's arena;
 * NULL if there are none, or too few samples.
 */
const struct test *callers_test(struct judgement *judgement, frame_id frame);

/*
 * A test of the growth of functions (member[frame]) with all they call, by functions' thresholds,
 * in as many stages as the gate has, with the error budget of one more test each. NULL: too few
 * samples on a side.
 */
struct test *group_test(struct judgement *judgement, const bool *member);

/*
 * Instructions that functions (member[frame]), and `added`, a new one (0: none), execute more, as a
 * part of the whole program before: it is a larger part of all that they call, which is not known.
 * NULL if they were not counted.
 */
const struct counted_work *group_work(
	struct judgement *judgement, const bool *member, frame_id added);

#endif
