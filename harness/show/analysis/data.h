/*
 * The data of all parts of an analysis, made once: weights by node and by function over
 * all runs, and the nodes of each function, so that no part walks the whole tree for one function.
 */
#ifndef ANALYSIS_DATA_H
#define ANALYSIS_DATA_H

#include "profile/function_class.h"
#include "profile/functions.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The callers of each node of a tree that recurs: found for all nodes in one walk, since a stack
 * can be a million frames deep, and each of them a call of the same function.
 */
struct recursion {
	node_id *same; /* by node: the nearest one above of the same function; CTREE_ROOT if none */
	node_id *other; /* by node: the nearest one above of another function */
	node_id *top;   /* by node: the one below the root, on the way to it */
	bool *call;     /* by node: the same call, of the same caller, is once more above it */
};

struct analysis_function {
	frame_id frame;
	double self;
	double total;
};

struct analysis_data {
	const struct profile *profile; /* borrowed; its siblings are sorted */
	double all;                    /* the weight of all runs */
	double *self;                  /* by node, of all runs */
	double *total;
	frame_id *code; /* by node, functions_code() */
	double *function_self;
	double *function_total; /* both by frame */
	node_id *nodes; /* those of frame f are nodes[first[f]] to nodes[first[f + 1] - 1] */
	size_t *first;
	struct recursion recursion;
	double *scratch; /* by frame, all 0 between uses */
	/* Functions with weight, marks of incomplete stacks left out: largest self first. */
	struct analysis_function *ranked;
	size_t nranked;
	double unknown; /* own weight of those without a name */
	size_t nlabels; /* frames at the root of each stack */
};

void analysis_data_init(struct analysis_data *data, const struct profile *profile);
void analysis_data_release(struct analysis_data *data);

/* The share of `weight` in all weight; 0 where there is none. */
double analysis_share(const struct analysis_data *data, double weight);

/*
 * Functions among which a weight divides. Between the first analysis_edges_add() and
 * analysis_edges_end() data->scratch holds their weights.
 */
struct analysis_edges {
	struct function_edge *edges; /* owned */
	size_t nedges;
	size_t capacity;
};

void analysis_edges_add(const struct analysis_data *data, struct analysis_edges *edges,
	frame_id frame, double weight);
/* Sorts them. */
void analysis_edges_end(const struct analysis_data *data, struct analysis_edges *edges);

/*
 * The nodes whose own weight is that of the function at `top`: it, and what is inlined below it.
 * Starts with `top`; the one after `node`, CTREE_NONE after the last.
 */
node_id analysis_next_own(const struct analysis_data *data, node_id top, node_id node);

/* All that function `of` calls, one level, recursion folded, marks left out. */
void analysis_callees(
	const struct analysis_data *data, frame_id of, struct analysis_edges *callees);

#endif
