/* The direct callers and callees of a function that have most of its growth. */
#include "compare/causes_search.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/* A neighbour with less than this part of the growth explains nothing. */
#define LEAST_PART 0.1

/* By node: the function itself where its samples are its own, the callee that they are below. */
static uint32_t *
find_callees(const struct cause_search *search)
{
	const struct ctree *tree = &search->comparison->profile.tree;
	uint32_t *slot = mem_zalloc(tree->nnodes, sizeof(*slot));

	slot[CTREE_ROOT] = CAUSE_NOWHERE;
	for (size_t i = 1; i < tree->nnodes; i++) {
		const uint32_t parent = slot[tree->nodes[i].parent];

		if (search->code[i] == search->frame)
			slot[i] = search->frame;
		else
			slot[i] = parent == search->frame ? search->same[tree->nodes[i].frame]
							  : parent;
	}
	return slot;
}

/* By node with samples of the function's own: its direct caller; the process is none. */
static uint32_t *
find_callers(const struct cause_search *search)
{
	const struct ctree *tree = &search->comparison->profile.tree;
	const struct ctree_node *paths = search->paths->tree.nodes;
	uint32_t *slot = cause_own_paths(search);

	slot[CTREE_ROOT] = CAUSE_NOWHERE;
	for (size_t i = 1; i < tree->nnodes; i++) {
		if (slot[i] == CAUSE_NOWHERE)
			continue;
		const node_id caller = paths[slot[i]].parent;

		slot[i] = search->paths->depths[caller] > 1 ? paths[caller].frame : CAUSE_NOWHERE;
	}
	return slot;
}

/* Whether it is a function, and did not grow by chance; of a new one this is not known. */
static bool
speaks(const struct cause_search *search, frame_id frame)
{
	const struct comparison *comparison = search->comparison;

	return !frame_name_is_mark(profile_frame_name(&comparison->profile, frame)) &&
	       !(search->total[frame].p > comparison->model.options.alpha);
}

/* Most growth first. */
static int
neighbours_by_growth(const void *left, const void *right, void *search)
{
	const struct cause_neighbour *a = left;
	const struct cause_neighbour *b = right;
	int order = sort_order(b->after_cost - b->before_cost, a->after_cost - a->before_cost);

	return order != 0 ? order : cause_compare_frames(search, a->frame, b->frame);
}

/* By frame as `same` has them: the one, inlined or not, that costs more now gives its name. */
static frame_id *
find_names(const struct cause_search *search)
{
	const size_t nframes = search->comparison->nframes;
	frame_id *names = mem_zalloc(nframes, sizeof(*names));

	for (frame_id frame = 1; frame < nframes; frame++) {
		frame_id *name = &names[search->same[frame]];

		if (*name == 0 ||
			search->total[frame].after_cost > search->total[*name].after_cost ||
			(search->total[frame].after_cost == search->total[*name].after_cost &&
				frame == search->same[frame]))
			*name = frame;
	}
	return names;
}

/* Puts the functions that grew into first[CAUSES_NEIGHBOURS]. */
static size_t
rank(const struct cause_search *search, const double *before, const double *after, bool callees,
	struct cause_neighbour *first)
{
	const size_t nframes = search->comparison->nframes;
	struct cause_neighbour *grown = mem_zalloc(nframes, sizeof(*grown));
	frame_id *names = find_names(search);
	size_t n = 0;

	for (frame_id frame = 1; frame < nframes; frame++) {
		const double growth = after[frame] - before[frame];

		if (frame == search->frame || !(growth > 0) ||
			growth < LEAST_PART * search->causes->growth ||
			frame_name_is_mark(
				profile_frame_name(&search->comparison->profile, frame)) ||
			(callees && !speaks(search, names[frame])))
			continue;
		grown[n++] = (struct cause_neighbour){names[frame], before[frame], after[frame]};
	}
	qsort_r(grown, n, sizeof(*grown), neighbours_by_growth, (void *)search);
	n = n < CAUSES_NEIGHBOURS ? n : CAUSES_NEIGHBOURS;
	memcpy(first, grown, n * sizeof(*first));
	free(names);
	free(grown);
	return n;
}

void
cause_find_neighbours(const struct cause_search *search)
{
	const size_t nframes = search->comparison->nframes;
	struct causes *causes = search->causes;
	double *before = mem_zalloc(nframes, 2 * sizeof(*before));
	double *after = before + nframes;
	uint32_t *slot = find_callers(search);

	cause_costs(search, slot, nframes, before, after);
	causes->ncallers = rank(search, before, after, false, causes->callers);
	free(slot);
	memset(before, 0, 2 * nframes * sizeof(*before));
	slot = find_callees(search);
	cause_costs(search, slot, nframes, before, after);
	causes->ncallees = rank(search, before, after, true, causes->callees);
	for (frame_id frame = 1; frame < nframes; frame++) {
		causes->before_calls += before[frame];
		causes->after_calls += after[frame];
	}
	free(slot);
	free(before);
}
