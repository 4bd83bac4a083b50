/* The direct callers and callees that cost more as well. */
#include "compare/causes_search.h"

#include "base/mem.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A neighbour that grew by less than this part of the growth explains nothing. */
#define LEAST_PART 0.1

enum { CALLER = 1, CALLEE = 2 };

/* By frame, as `same` has them: its relation to the function. */
static unsigned char *
find_edges(const struct cause_search *search)
{
	const struct ctree *tree = &search->comparison->profile.tree;
	unsigned char *edges = mem_zalloc(search->comparison->nframes, sizeof(*edges));
	frame_id self = search->same[search->frame];

	for (size_t i = 1; i < tree->nnodes; i++) {
		node_id parent = tree->nodes[i].parent;

		/* A function called by the process has no caller. */
		if (parent == CTREE_ROOT || tree->nodes[parent].parent == CTREE_ROOT)
			continue;
		frame_id caller = search->same[tree->nodes[parent].frame];
		frame_id callee = search->same[tree->nodes[i].frame];

		if (callee == self && caller != self)
			edges[caller] |= CALLER;
		if (caller == self && callee != self)
			edges[callee] |= CALLEE;
	}
	return edges;
}

/* Whether it is a function, and grew by more than chance; of a new one neither is known. */
static bool
speaks(const struct cause_search *search, frame_id frame)
{
	const struct comparison *comparison = search->comparison;

	return !frame_name_is_mark(profile_frame_name(&comparison->profile, frame)) &&
	       !(search->total[frame].change < 0) &&
	       !(search->total[frame].p > comparison->model.options.alpha);
}

/* Most growth first. */
static int
by_growth(const void *left, const void *right, void *search)
{
	const struct cause_neighbour *a = left;
	const struct cause_neighbour *b = right;
	int order = sort_order(b->after_cost - b->before_cost, a->after_cost - a->before_cost);

	return order != 0 ? order : cause_compare_frames(search, a->frame, b->frame);
}

/* Those of one kind that grew, inlined or not, into first[CAUSES_NEIGHBOURS]. */
static size_t
rank(const struct cause_search *search, const unsigned char *edges, unsigned char kind,
	const struct cause_neighbour *all, struct cause_neighbour *first)
{
	struct cause_neighbour *grown = mem_zalloc(search->comparison->nframes, sizeof(*grown));
	size_t n = 0;

	for (frame_id frame = 1; frame < search->comparison->nframes; frame++) {
		double growth = all[frame].after_cost - all[frame].before_cost;

		if ((edges[frame] & kind) && growth > 0 &&
			growth >= LEAST_PART * search->causes->growth &&
			speaks(search, all[frame].frame))
			grown[n++] = all[frame];
	}
	qsort_r(grown, n, sizeof(*grown), by_growth, (void *)search);
	n = n < CAUSES_NEIGHBOURS ? n : CAUSES_NEIGHBOURS;
	memcpy(first, grown, n * sizeof(*first));
	free(grown);
	return n;
}

void
cause_find_neighbours(const struct cause_search *search)
{
	const struct comparison *comparison = search->comparison;
	struct cause_neighbour *all = mem_zalloc(comparison->nframes, sizeof(*all));
	unsigned char *edges = find_edges(search);
	struct causes *causes = search->causes;

	for (frame_id frame = 1; frame < comparison->nframes; frame++) {
		const struct effect *total = &search->total[frame];
		struct cause_neighbour *to = &all[search->same[frame]];

		/* Shown by the name of the one that costs more now. */
		double most = to->frame ? search->total[to->frame].after_cost : -1;

		if (total->after_cost > most || (total->after_cost == most && &all[frame] == to))
			to->frame = frame;
		to->before_cost += total->before_cost * search->speed;
		to->after_cost += total->after_cost;
	}
	causes->ncallers = rank(search, edges, CALLER, all, causes->callers);
	causes->ncallees = rank(search, edges, CALLEE, all, causes->callees);
	free(edges);
	free(all);
}
