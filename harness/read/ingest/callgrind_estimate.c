/*
 * Estimates stacks from a plain call graph, which has callers, callees and costs, but no stacks.
 */
#include "base/mem.h"
#include "ingest/callgrind_internal.h"

#include <math.h>
#include <stdlib.h>

/* A stack worth less than this part of everything is not distinguished from similar ones. */
#define LEAST_PART 2e-6
/* More stacks than this are not made, whatever they are worth. */
#define MOST_STACKS 1000000

enum colour {
	WHITE, /* not visited yet */
	GREY,  /* on the current path of the search */
	BLACK,
};

struct step {
	uint32_t function;
	node_id node;
	double share; /* of the function's whole cost, by calls along this path */
};

struct estimate {
	struct callgrind_graph *graph;
	const frame_id *frames;
	const struct callgrind_target *target;
	size_t *first_call; /* by function, and one more: of graph->calls */
	double *called;     /* by function: cost of its calls, without those that close a cycle */
	double *share;      /* by function: the part of it that is in the tree */
	double *put;        /* by function: the cost that is in the tree */
	node_id *last;      /* by function: a node that has some of it */
	double least;
	size_t nstacks;
	struct step *steps;
	size_t nsteps;
	size_t steps_capacity;
};

static int
compare_calls(const void *a, const void *b)
{
	const struct callgrind_call *x = a;
	const struct callgrind_call *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	if (x->inclusive != y->inclusive)
		return x->inclusive > y->inclusive ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
}

/* By caller, the costliest first. */
static void
sort_calls(struct estimate *estimate)
{
	struct callgrind_graph *graph = estimate->graph;
	size_t kept = 0;

	for (size_t i = 0; i < graph->ncalls; i++)
		if (graph->calls[i].caller != graph->calls[i].callee &&
			graph->calls[i].inclusive > 0)
			graph->calls[kept++] = graph->calls[i];
	graph->ncalls = kept;
	qsort(graph->calls, kept, sizeof(*graph->calls), compare_calls);
	estimate->first_call = mem_zalloc(graph->nfunctions + 1, sizeof(*estimate->first_call));
	for (size_t i = 0, call = 0; i <= graph->nfunctions; i++) {
		while (call < kept && graph->calls[call].caller < i)
			call++;
		estimate->first_call[i] = call;
	}
}

static void
push_step(struct estimate *estimate, uint32_t function, node_id node, double share)
{
	estimate->steps = mem_grow(estimate->steps, &estimate->steps_capacity, estimate->nsteps + 1,
		sizeof(*estimate->steps));
	estimate->steps[estimate->nsteps++] = (struct step){function, node, share};
}

/* Zeroes the cost of every call that leads back onto the path of the search. */
static void
search(struct estimate *estimate, uint32_t start, unsigned char *colours, size_t *next)
{
	struct callgrind_graph *graph = estimate->graph;

	if (colours[start] != WHITE)
		return;
	colours[start] = GREY;
	push_step(estimate, start, 0, 0);
	while (estimate->nsteps > 0) {
		uint32_t at = estimate->steps[estimate->nsteps - 1].function;

		if (next[at] == estimate->first_call[at + 1]) {
			colours[at] = BLACK;
			estimate->nsteps--;
			continue;
		}
		struct callgrind_call *call = &graph->calls[next[at]++];

		if (colours[call->callee] == GREY) {
			call->inclusive = 0;
		} else if (colours[call->callee] == WHITE) {
			colours[call->callee] = GREY;
			push_step(estimate, call->callee, 0, 0);
		}
	}
}

/* Searches from functions without callers first, then from those that are only in cycles. */
static void
break_cycles(struct estimate *estimate)
{
	struct callgrind_graph *graph = estimate->graph;
	const size_t count = graph->nfunctions;
	unsigned char *colours = mem_zalloc(count + 1, sizeof(*colours));
	size_t *next = mem_zalloc(count + 1, sizeof(*next));
	bool *is_called = mem_zalloc(count + 1, sizeof(*is_called));

	for (size_t i = 0; i < count; i++)
		next[i] = estimate->first_call[i];
	for (size_t i = 0; i < graph->ncalls; i++)
		is_called[graph->calls[i].callee] = true;
	for (size_t i = 0; i < count; i++)
		if (!is_called[i])
			search(estimate, (uint32_t)i, colours, next);
	for (size_t i = 0; i < count; i++)
		search(estimate, (uint32_t)i, colours, next);
	free(is_called);
	free(next);
	free(colours);
	qsort(graph->calls, graph->ncalls, sizeof(*graph->calls), compare_calls);
	for (size_t i = 0; i < graph->ncalls; i++)
		estimate->called[graph->calls[i].callee] += graph->calls[i].inclusive;
}

/* Puts whole numbers, so that all steps of a function add up to its cost. */
static void
put_step(struct estimate *estimate, const struct step *step)
{
	const uint32_t function = step->function;
	const struct callgrind_target *target = estimate->target;
	double self = estimate->graph->functions[function].self;

	estimate->share[function] += step->share;
	estimate->last[function] = step->node;
	double until = floor(self * fmin(estimate->share[function], 1) + 0.5);

	if (until > estimate->put[function]) {
		ctree_add(&target->profile->tree, target->column, step->node,
			until - estimate->put[function]);
		estimate->put[function] = until;
	}
}

static void
expand(struct estimate *estimate)
{
	const struct callgrind_graph *graph = estimate->graph;
	struct ctree *tree = &estimate->target->profile->tree;

	while (estimate->nsteps > 0) {
		const struct step step = estimate->steps[--estimate->nsteps];
		const size_t end = estimate->first_call[step.function + 1];

		put_step(estimate, &step);
		for (size_t i = estimate->first_call[step.function]; i < end; i++) {
			const struct callgrind_call *call = &graph->calls[i];
			double worth = step.share * call->inclusive;

			/* The costliest are first. */
			if (!(worth > estimate->least) || estimate->nstacks >= MOST_STACKS)
				break;
			estimate->nstacks++;
			push_step(estimate, call->callee,
				ctree_child(tree, step.node, estimate->frames[call->callee]),
				step.share * (call->inclusive / estimate->called[call->callee]));
		}
	}
}

/* Puts the cost that is not in the tree because of the bounds or of rounding. */
static void
put_rest(struct estimate *estimate)
{
	const struct callgrind_graph *graph = estimate->graph;
	const struct callgrind_target *target = estimate->target;
	struct ctree *tree = &target->profile->tree;

	for (size_t i = 0; i < graph->nfunctions; i++) {
		double rest = graph->functions[i].self - estimate->put[i];

		if (!(rest > 0))
			continue;
		node_id node = estimate->share[i] > 1 - 1e-9
				       ? estimate->last[i]
				       : ctree_child(tree, callgrind_truncated_node(target),
						 estimate->frames[i]);

		ctree_add(tree, target->column, node, rest);
	}
}

void
callgrind_estimate_stacks(struct callgrind_graph *graph, const frame_id *frames,
	const struct callgrind_target *target)
{
	const size_t count = graph->nfunctions;
	struct estimate estimate = {.graph = graph, .frames = frames, .target = target};
	struct ctree *tree = &target->profile->tree;
	double all = 0;

	estimate.called = mem_zalloc(count + 1, sizeof(*estimate.called));
	estimate.share = mem_zalloc(count + 1, sizeof(*estimate.share));
	estimate.put = mem_zalloc(count + 1, sizeof(*estimate.put));
	estimate.last = mem_zalloc(count + 1, sizeof(*estimate.last));
	for (size_t i = 0; i < count; i++)
		all += graph->functions[i].self;
	estimate.least = all * LEAST_PART;
	sort_calls(&estimate);
	break_cycles(&estimate);
	const node_id root = target->root;

	for (size_t i = 0; i < count; i++) {
		if (estimate.called[i] > 0)
			continue;
		push_step(&estimate, (uint32_t)i, ctree_child(tree, root, frames[i]), 1);
		expand(&estimate);
	}
	put_rest(&estimate);
	free(estimate.steps);
	free(estimate.last);
	free(estimate.put);
	free(estimate.share);
	free(estimate.called);
	free(estimate.first_call);
}
