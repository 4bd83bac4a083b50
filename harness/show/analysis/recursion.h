/*
 * What is above each node of a tree that recurs: found for all nodes in one walk, since a stack can
 * be a million frames deep, and each of them a call of the same function.
 */
#ifndef ANALYSIS_RECURSION_H
#define ANALYSIS_RECURSION_H

#include "profile/profile.h"

#include <stdbool.h>

struct recursion {
	node_id *same; /* by node: the nearest one above of the same function; CTREE_ROOT if none */
	node_id *other; /* by node: the nearest one above of another function */
	node_id *top;   /* by node: the one below the root, on the way to it */
	bool *call;     /* by node: the same call, of the same caller, is once more above it */
};

void recursion_init(struct recursion *recursion, const struct profile *profile);
void recursion_release(struct recursion *recursion);

#endif
