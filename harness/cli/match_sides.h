/*
 * Prepares two profiles that were made apart for comparison.
 */
#ifndef CLI_MATCH_SIDES_H
#define CLI_MATCH_SIDES_H

#include "profile/profile.h"

/*
 * Folded text without runs is a sum, of who knows how many. Beside it, runs of which nothing but
 * the weights is known are a sum, too: their mean would be less by their number.
 */
void match_sums(struct profile *before, struct profile *after);

/*
 * Stacks begin with the name of the process, so that old-prog and new-prog would have nothing in
 * common. Where one process has most of each side and is not on the other, both become
 * "old-prog -> new-prog" (a real arrow). The profiles are then good for appending to others alone.
 */
void match_roots(struct profile *before, struct profile *after);

/*
 * A function that one build calls everywhere and the other has inlined, at least here and there, is
 * a called one on both sides: it would be two frames, one gone and one new. What inlining saved or
 * cost is then a change of the function. For profiles that are appended to others alone, too.
 */
void match_inlined(struct profile *before, struct profile *after);

#endif
