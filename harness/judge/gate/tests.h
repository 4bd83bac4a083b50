/*
 * The first two steps of a gate: making the tests of each workload, and correcting over all.
 */
#ifndef GATE_TESTS_H
#define GATE_TESTS_H

#include "gate/judgement.h"

/*
 * Compares the two sides of judgement->input (the only part that is set) and makes a test of every
 * subject. To be released in any case.
 */
void tests_make(struct judgement *judgement);

/*
 * Workloads whose pairs are tested block by block (looks.h) have equal parts of alpha, so that each
 * can end by itself: 1 / W of W workloads, in a shard those of the whole gate. Holm's correction is
 * over the tests of one workload, with the part of its alpha that its latest look has. All others
 * have the rest of alpha together, which is all of it where no workload has looks:
 *
 * Where pairs decide what a screen chose (screen.h), W is the number of workloads that it chose,
 * and the tests of one are those that it chose there.
 *
 * Holm's correction over each stage's tests in all workloads, at the smallest alpha of their
 * policies. Only what the first stage flags is tested in the second. The effects of all runs
 * together are corrected for all tests, too.
 *
 * In a shard (gate_input.planned), the tests of the other shards are not known. Both corrections
 * err on the safe side:
 *
 * - The first stage is corrected for the shard's own tests. Holm's p_adjusted over a part of the
 *   tests is at most that over all of them, so that everything which the correction over all shards
 *   flags was flagged here, and has confirming runs.
 * - All runs together and the confirming runs are corrected for as many tests as the whole gate has
 *   if the other workloads have as many each as those here; the tests elsewhere count as p = 1.
 *   With so many tests or fewer, what is decided here is still decided when the shards are merged.
 *
 * Merging corrects over the tests of all shards; the levels here only say which runs are taken.
 */
void tests_correct(struct judgement *const *judgements, size_t njudgements);

/*
 * The upper end of an interval whose estimate is below the threshold: the one-sided limit at alpha,
 * by which the test passes. All tests of a gate must pass for it to pass, so that this needs no
 * correction for their number: a gate with one growth at its threshold passes with a probability of
 * alpha at most, however many tests there are (an intersection-union test; Berger, "Multiparameter
 * hypothesis testing and acceptance sampling", Technometrics 24, 1982). It is not below 0 where the
 * change is not significant. The lower end stays that of Holm's correction. By both sides'
 * corrected ends, 24 % of simulated unchanged gates (fleet_rates.sh, 1,000) were too coarse, by
 * this 3 %.
 */
void tests_set_upper_end(const struct test *test, double alpha);

#endif
