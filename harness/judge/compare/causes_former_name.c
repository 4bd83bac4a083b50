/*
 * The former name of a new function: a function that is gone, with similar callers, callees and
 * cost.
 */
#include "compare/causes_search.h"

#include "base/mem.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* At least this part of the samples of two functions has the same callers and callees. */
#define LEAST_ALIKE 0.5
/* The costs of the two are the same within this factor. */
#define MOST_RATIO 2

/*
 * How much of a function's samples has this neighbour. Callers are keyed by frame, callees by frame
 * + nframes, and its own code by nframes alone; neighbours that are new or gone are all frame 0,
 * as they may have been renamed as well.
 */
struct edge {
	frame_id function;
	uint64_t key;
	double weight;
};

struct edges {
	struct edge *edges; /* owned */
	size_t n;
	size_t capacity;
};

static frame_id
neighbour(const struct cause_search *search, frame_id frame)
{
	const struct comparison *comparison = search->comparison;
	const struct effect *total = &search->total[frame];

	return comparison_is_new(comparison, total) || comparison_is_gone(comparison, total)
		       ? 0
		       : search->same[frame];
}

static void
add_edge(struct edges *edges, frame_id function, uint64_t key, double weight)
{
	edges->edges =
		mem_grow(edges->edges, &edges->capacity, edges->n + 1, sizeof(*edges->edges));
	edges->edges[edges->n++] = (struct edge){function, key, weight};
}

static int
compare_edges(const void *left, const void *right)
{
	const struct edge *a = left;
	const struct edge *b = right;
	int order = sort_order(a->function, b->function);

	/* Numbers of frames, and twice that: a double has them exactly. */
	return order != 0 ? order : sort_order((double)a->key, (double)b->key);
}

/*
 * The edges of the function after (`wanted`) and of all that are gone before, sorted, those with
 * the same key in one.
 */
static void
collect(const struct cause_search *search, const bool *wanted, size_t first, size_t count,
	struct edges *edges)
{
	const struct comparison *comparison = search->comparison;
	const struct ctree *tree = &comparison->profile.tree;
	uint64_t nframes = comparison->nframes;
	double *own = mem_zalloc(tree->nnodes, 2 * sizeof(*own));
	double *total = own + tree->nnodes;

	ctree_sum(tree, first, count, own);
	ctree_sum(tree, first, count, total);
	ctree_totals(tree, total);
	for (size_t i = 1; i < tree->nnodes; i++) {
		frame_id frame = tree->nodes[i].frame;
		frame_id parent = tree->nodes[tree->nodes[i].parent].frame;

		if (wanted[search->code[i]] && own[i] > 0)
			add_edge(edges, search->code[i], nframes, own[i]);
		if (frame == parent || !(total[i] > 0))
			continue;
		if (wanted[frame])
			add_edge(edges, frame, neighbour(search, parent), total[i]);
		if (wanted[parent] &&
			comparison->profile.frames.frames[frame].kind != FRAME_INLINED)
			add_edge(edges, parent, nframes + 1 + neighbour(search, frame), total[i]);
	}
	free(own);
	if (edges->n == 0)
		return;
	qsort(edges->edges, edges->n, sizeof(*edges->edges), compare_edges);
	size_t kept = 0;

	for (size_t i = 1; i < edges->n; i++) {
		if (compare_edges(&edges->edges[kept], &edges->edges[i]) == 0)
			edges->edges[kept].weight += edges->edges[i].weight;
		else
			edges->edges[++kept] = edges->edges[i];
	}
	edges->n = kept + 1;
}

enum { CALLERS, CALLEES, DIRECTIONS };

static void
sum_weights(const struct edge *edges, size_t n, uint64_t nframes, double sums[DIRECTIONS])
{
	sums[CALLERS] = sums[CALLEES] = 0;
	for (size_t i = 0; i < n; i++)
		sums[edges[i].key < nframes ? CALLERS : CALLEES] += edges[i].weight;
}

/* The part that both have in common, the smaller one of callers and of callees. Both are sorted. */
static double
alike(const struct edge *a, size_t na, const struct edge *b, size_t nb, uint64_t nframes)
{
	double sums_a[DIRECTIONS];
	double sums_b[DIRECTIONS];
	double common[DIRECTIONS] = {0};
	size_t k = 0;

	sum_weights(a, na, nframes, sums_a);
	sum_weights(b, nb, nframes, sums_b);
	for (size_t i = 0; i < na; i++) {
		int direction = a[i].key < nframes ? CALLERS : CALLEES;

		while (k < nb && b[k].key < a[i].key)
			k++;
		if (k < nb && b[k].key == a[i].key)
			common[direction] += fmin(
				a[i].weight / sums_a[direction], b[k].weight / sums_b[direction]);
	}
	return fmin(common[CALLERS], common[CALLEES]);
}

static bool
costs_alike(const struct cause_search *search, frame_id former)
{
	double before = search->comparison->self[former].before_cost * search->speed;
	double after = search->comparison->self[search->frame].after_cost;

	return before <= MOST_RATIO * after && after <= MOST_RATIO * before;
}

/* Among functions that are gone, the one that is most alike; ties by name. */
static frame_id
most_alike(const struct cause_search *search, const struct edges *own, const struct edges *gone)
{
	double most = LEAST_ALIKE;
	frame_id best = 0;
	size_t next;

	for (size_t i = 0; i < gone->n; i = next) {
		frame_id former = gone->edges[i].function;

		for (next = i; next < gone->n && gone->edges[next].function == former;)
			next++;
		double here = alike(
			own->edges, own->n, gone->edges + i, next - i, search->comparison->nframes);

		if (here < most ||
			(here == most && best && cause_compare_frames(search, best, former) < 0))
			continue;
		most = here;
		best = former;
	}
	return best;
}

frame_id
cause_find_former_name(const struct cause_search *search)
{
	const struct comparison *comparison = search->comparison;
	bool *wanted = mem_zalloc(comparison->nframes, sizeof(*wanted));
	struct edges own = {0};
	struct edges gone = {0};
	bool any = false;
	frame_id former = 0;

	for (frame_id frame = 1; frame < comparison->nframes; frame++) {
		wanted[frame] = comparison_is_gone(comparison, &comparison->self[frame]) &&
				costs_alike(search, frame);
		any = any || wanted[frame];
	}
	if (any && comparison_is_new(comparison, &comparison->self[search->frame])) {
		collect(search, wanted, 0, comparison->nbefore, &gone);
		memset(wanted, 0, comparison->nframes * sizeof(*wanted));
		wanted[search->frame] = true;
		collect(search, wanted, comparison->nbefore, comparison->nafter, &own);
		former = most_alike(search, &own, &gone);
	}
	free(own.edges);
	free(gone.edges);
	free(wanted);
	return former;
}
