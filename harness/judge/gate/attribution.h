/*
 * Attribution: which function's change made others grow, so that one cause is one finding.
 *
 * Each growth of a function is attributed to the nearest function on its growing stacks whose code
 * changed (causes_subject()). Where a growth fails or is undecided, the growths that are attributed
 * to the same function are one finding, about that function:
 *
 * - its own test, if its own cost grew as much as all others together;
 * - else a test of its cost with all it calls, which is added;
 * - else, where neither is possible, the test that grew most.
 *
 * A test that is added for undecided growths decides nothing: its finding is undecided as they are.
 *
 * A new function and the changed function that calls it are one cause, and so are those of one
 * declaration: the functions made of a template, or one that is inlined in places. Functions whose
 * code changed without a changed line are one cause where a type or a macro changed. The whole
 * program is part of the finding that grew most where these findings have half of its growth or
 * more, and so is a rule of the policy about one of their functions; neither is part of a less
 * severe finding. But where the whole program fails and no functions that do explain it, the
 * touched function that has half of its growth or more is the finding, though its own test may be
 * undecided. A growth of code that is the same, with no touched function on its stacks, is part of
 * the touched function that grew most, if one fails. All else has its own cause.
 */
#ifndef GATE_ATTRIBUTION_H
#define GATE_ATTRIBUTION_H

#include "gate/judgement.h"
#include "gate/test.h"

/*
 * Sets `part_of` of the decided tests of a workload, and adds tests. `code`: NULL where it is not
 * known; then each function has its own cause.
 */
void attribute_growths(struct judgement *judgement, const struct code_states *code);

#endif
