/*
 * From a callgrind graph to stacks.
 *
 * Where callers were separated, a function's name is its stack, and what it cost is exact. Stacks
 * as long as the longest are cut at their outer end, unless they begin where a shorter one does.
 *
 * A plain graph tells who called whom and what that cost, but not on whose behalf: its stacks are
 * estimates. Each function's cost is handed to its callers in proportion to what their calls of it
 * cost, and so on up to those that nobody called. Cycles are broken where a search from there comes
 * back to where it is. What a function cost by itself is exact in the sum over its stacks; the
 * stacks beyond a bound are left out, and their cost stands below FRAME_TRUNCATED.
 */
#ifndef INGEST_CALLGRIND_STACKS_H
#define INGEST_CALLGRIND_STACKS_H

#include "ingest/callgrind_graph.h"
#include "ingest/callgrind_names.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/* Where stacks go. */
struct callgrind_target {
	struct profile *profile;
	size_t column;
	frame_id root;
	bool no_marks; /* nothing stands for the missing end of a stack */
};

/* Returns whether the stacks are estimates. */
bool callgrind_put_stacks(const struct callgrind_graph *graph, struct callgrind_names *names,
	const struct callgrind_target *target);

/*
 * The second way; frames[i] is function i's. Ties are broken by the order of functions; `calls` are
 * put into another order.
 */
void callgrind_estimate(struct callgrind_graph *graph, const frame_id *frames,
	const struct callgrind_target *target);

/* The node that stacks without their outer end begin at. */
node_id callgrind_truncated(const struct callgrind_target *target);

#endif
