/*
 * Prepares two profiles that were recorded separately for comparison.
 */
#ifndef CLI_MATCH_SIDES_H
#define CLI_MATCH_SIDES_H

#include "profile/profile.h"

/*
 * Folded text without runs is the sum of an unknown number of runs. If one side is such a sum, and
 * the other has several runs with weights but no costs, these are summed, too: their mean would be
 * too small by their number.
 */
void match_sums(struct profile *before, struct profile *after);

/*
 * Stacks begin with the name of the process, so that old-prog and new-prog would have nothing in
 * common. Where one process has most of each side and is not on the other, both become "old-prog ->
 * new-prog" (a real arrow). Afterwards the profiles may only be appended to others.
 */
void match_roots(struct profile *before, struct profile *after);

/*
 * Turns inlined frames of a function into called ones if the other build calls it and never inlines
 * it: otherwise it would be two frames, one gone and one new. The effect of inlining is then a
 * change of the function. Here, too, the profiles may afterwards only be appended to others.
 */
void match_inlined(struct profile *before, struct profile *after);

#endif
