/*
 * The first two steps of a gate: making the tests of each workload, and correcting over all.
 */
#ifndef GATE_TESTS_H
#define GATE_TESTS_H

#include "gate/judgement.h"

/*
 * Compares the two sides of judgement->input, which is all that is set, and makes a test of every
 * subject. To be released in any case.
 */
void tests_make(struct judgement *judgement);

/*
 * Holm's correction over each stage's tests in all workloads, at the smallest alpha of their
 * policies. Only what the first stage flags is tested in the second. What all runs together say is
 * corrected for all that is tested as well.
 */
void tests_correct(struct judgement *const *judgements, size_t njudgements);

#endif
