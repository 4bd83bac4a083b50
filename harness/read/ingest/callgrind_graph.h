/*
 * The call graph of one process in a callgrind file: its functions, the self cost of each, and the
 * inclusive cost of calls. It is converted to stacks.
 *
 * Where callers were separated, a function's name is its stack, and its cost is exact. Stacks as
 * long as the longest are cut at their outer end, unless they begin where a shorter one does.
 *
 * A plain graph has callers, callees and costs, but no stacks: stacks are estimates. Each
 * function's cost is handed to its callers in proportion to what their calls of it cost, and so on
 * up to the functions without callers. Cycles are broken at the calls that lead back onto the path
 * of a depth-first search from there. A function's self cost is exact in the sum over its stacks;
 * the stacks beyond a bound are left out, and their cost is below FRAME_TRUNCATED.
 */
#ifndef INGEST_CALLGRIND_GRAPH_H
#define INGEST_CALLGRIND_GRAPH_H

#include "base/key_map.h"
#include "base/strtab.h"
#include "ingest/callgrind_file.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Strings are of callgrind_names' `texts`; 0: not stated. */
struct callgrind_function {
	str_id name; /* with its callers where those were separated */
	str_id object;
	str_id source;
	double self;
};

struct callgrind_call {
	uint32_t caller; /* indices of functions */
	uint32_t callee;
	double inclusive;
};

/* All zeros is an empty graph. */
struct callgrind_graph {
	struct callgrind_function *functions;
	size_t nfunctions;
	size_t functions_capacity;
	struct callgrind_call *calls; /* one for each pair of functions */
	size_t ncalls;
	size_t calls_capacity;
	struct key_map by_name; /* (name, object) */
	struct key_map by_ends; /* (caller, callee) */
};

void callgrind_graph_release(struct callgrind_graph *graph);

/* The function of this name in this object, added if new. */
uint32_t callgrind_graph_function(struct callgrind_graph *graph, str_id name, str_id object);
/* Adds to the cost of the calls between two functions. */
void callgrind_graph_call(
	struct callgrind_graph *graph, uint32_t caller, uint32_t callee, double inclusive);

/* Where stacks go. */
struct callgrind_target {
	struct profile *profile;
	size_t column;
	node_id root;
	bool no_marks;    /* no mark for the missing end of a stack */
	bool short_names; /* without parameters */
};

/* Returns whether the stacks are estimates. */
bool callgrind_put_stacks(const struct callgrind_graph *graph, struct callgrind_names *names,
	const struct callgrind_target *target);

#endif
