/*
 * Functions that a compiler inlined in one of two builds and not in the other.
 *
 * For such a function one side has own (self) cost and the other has none: there it is part of the
 * function that holds it. Comparing either by itself shows a growth that is none. Both sides are
 * therefore compared as if it were inlined: the nearest function that both have is the subject.
 * That is decided for each caller, since a compiler inlines a function in some of its callers.
 */
#ifndef COMPARE_MATCH_INLINING_H
#define COMPARE_MATCH_INLINING_H

#include "profile/profile.h"

#include <stddef.h>

/*
 * `joined` has the runs of both sides, `nbefore` of them before. Calls of a function from a caller
 * become inlined ones, on both sides, where the share of that caller's calls that is inlined
 * differs between the sides by more than 2 % and by four standard errors. Nothing is
 * changed where a side lacks such calls.
 */
void match_inlining(struct profile *joined, size_t nbefore);

#endif
