/*
 * Judging: tests are made, corrected over the whole gate and decided; each becomes a finding of its
 * workload's verdict. A verdict is a function of the input and of nothing else.
 */
#ifndef GATE_JUDGE_H
#define GATE_JUDGE_H

#include "gate/judgement.h"

/*
 * The first half: makes and corrects the tests of all workloads. Of each judgement only `input` is
 * set, without its `code` and `instructions`: evidence.h says whether these can help.
 */
void judge_tests(struct judgement *const *judgements, size_t njudgements);
/*
 * Its second step, the correction over all; the first makes the tests of one workload
 * (tests_make()). Once a workload's sides were compared, their call trees are read again only for
 * causes: judgement_wants_code().
 */
void judge_correct_tests(struct judgement *const *judgements, size_t njudgements);
/* The second half: gathers evidence, decides all tests, and makes the verdicts. */
void judge_decide(struct judgement *const *judgements, size_t njudgements, enum status *overall);

/*
 * Both halves, without code and instructions. *overall is the severest status of any finding, but
 * an error elsewhere does not hide a regression: as in the exit code, fail is above error.
 */
void judge_gate(struct judgement *const *judgements, size_t njudgements, enum status *overall);

/*
 * The exit code of the gate: 1 if anything failed; else 2 if anything could not be measured or was
 * refused, or all workloads were skipped; else 3 if anything is inconclusive, unless its policy
 * says otherwise; else 0. A regression stays one whatever else went wrong, so 1 comes before 2.
 */
int judge_exit_code(struct judgement *const *judgements, size_t njudgements);

/*
 * The exit code as `git bisect run` reads it: 1 if anything failed, JUDGE_BISECT_SKIP where that
 * cannot be said (an error, an undecided finding or a coarse one, no baseline), else 0.
 */
#define JUDGE_BISECT_SKIP 125
int judge_bisect_code(struct judgement *const *judgements, size_t njudgements);

#endif
