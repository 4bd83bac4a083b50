/*
 * Judging: tests are made and corrected over the whole gate, and decided by what is known of them;
 * each becomes a finding of its workload's verdict. A verdict is a function of the input, and of
 * nothing else.
 */
#ifndef GATE_JUDGE_H
#define GATE_JUDGE_H

#include "gate/judgement.h"

/*
 * The first half, of which judgement->input is all that is set, but for its `code` and
 * `instructions`: tests of all workloads, corrected.
 */
void judge_tests(struct judgement *const *judgements, size_t njudgements);
/* Whether what became of the machine code says something of a test that grew. */
bool judgement_wants_code(const struct judgement *judgement);
/* The second half: gathers what explains them, decides all tests, and makes the verdicts. */
void judge_decide(struct judgement *const *judgements, size_t njudgements, enum status *overall);

/*
 * Both, where nothing is known of code and instructions. *overall is the severest status of any
 * finding, but a regression is not hidden by an error elsewhere: as in the exit code, fail stands
 * above error.
 */
void judge_gate(struct judgement *const *judgements, size_t njudgements, enum status *overall);

/*
 * The exit code of the gate: 1 if anything failed; else 2 if anything could not be measured or was
 * refused; else 3 if anything is inconclusive whose policy makes that a failure; else 0. A
 * regression that was seen stays one whatever else went wrong, so 1 comes before 2.
 */
int judge_exit_code(struct judgement *const *judgements, size_t njudgements);

/*
 * The exit code as `git bisect run` reads it: 1 if anything failed, JUDGE_BISECT_SKIP where that
 * cannot be said (an error, an inconclusive finding, no baseline), else 0.
 */
#define JUDGE_BISECT_SKIP 125
int judge_bisect_code(struct judgement *const *judgements, size_t njudgements);

#endif
