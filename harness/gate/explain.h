/*
 * Why a finding is there, and what of that weakens or bears it out.
 *
 * A growth that only moved there from elsewhere in the program warns, and so does one that no
 * change of code on any sampled path can have made: that is layout, or data. So does one of the
 * same code that executes the same number of instructions, where they were counted. What is new has
 * nothing to be compared with; it fails only where what calls it grew with it.
 */
#ifndef GATE_EXPLAIN_H
#define GATE_EXPLAIN_H

#include "gate/judge.h"

/*
 * Looks for the causes of each function that warns or fails, or would fail and is to be measured
 * again, and settles its status. To be called after all rules and before waivers.
 */
void explain_findings(struct judgement *judgement, struct verdict_builder *builder);

#endif
