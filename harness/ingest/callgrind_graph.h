/*
 * The functions of one process in a callgrind file, what each cost by itself, and what calls cost
 * in all.
 */
#ifndef INGEST_CALLGRIND_GRAPH_H
#define INGEST_CALLGRIND_GRAPH_H

#include "base/key_map.h"
#include "base/strtab.h"

#include <stddef.h>
#include <stdint.h>

/* Strings are of callgrind_names' `texts`; 0: not told. */
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
/* Adds to what calls between two functions cost. */
void callgrind_graph_call(
	struct callgrind_graph *graph, uint32_t caller, uint32_t callee, double inclusive);

#endif
