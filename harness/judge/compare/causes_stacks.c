/* The stacks that carry a growth: the paths to the function that grew most. */
#include "compare/causes_search.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/* A path that grew by less than this much of what the first one grew by explains nothing. */
#define LEAST_GROWTH 0.05

/* A path that grew. */
struct grown {
	node_id path;
	double before;
	double after;
};

/*
 * How many frames of a path are shown: those from main on where it is on it, for what calls main is
 * the same everywhere, and else all but the process.
 */
static size_t
count_shown(const struct cause_search *search, node_id path)
{
	const struct profile *profile = &search->comparison->profile;
	const struct ctree_node *nodes = search->paths->tree.nodes;
	uint32_t depth = search->paths->depths[path];
	size_t from_main = 0;
	size_t steps = 0;

	for (node_id at = path; at != CTREE_ROOT; at = nodes[at].parent) {
		steps++;
		if (strcmp(profile_frame_name(profile, nodes[at].frame), "main") == 0)
			from_main = steps;
	}
	return from_main > 0 ? from_main : depth > 1 ? depth - 1 : depth;
}

/* Most growth first. */
static int
paths_by_growth(const void *left, const void *right, void *context)
{
	const struct cause_paths *paths = context;
	const struct grown *a = left;
	const struct grown *b = right;
	int order = sort_order(b->after - b->before, a->after - a->before);
	uint64_t hash_a = paths->hashes[a->path];
	uint64_t hash_b = paths->hashes[b->path];

	if (order == 0)
		order = sort_order(paths->depths[a->path], paths->depths[b->path]);
	return order != 0 ? order : (hash_a > hash_b) - (hash_a < hash_b);
}

static struct cause_stack
stack_of(const struct cause_search *search, const struct grown *grown)
{
	const struct ctree_node *nodes = search->paths->tree.nodes;
	size_t nframes = count_shown(search, grown->path);
	frame_id *frames = arena_alloc(search->arena, nframes * sizeof(*frames));
	node_id at = grown->path;

	for (size_t i = nframes; i-- > 0; at = nodes[at].parent)
		frames[i] = nodes[at].frame;
	return (struct cause_stack){.frames = frames,
		.nframes = nframes,
		.before_cost = grown->before,
		.after_cost = grown->after};
}

void
cause_find_stacks(const struct cause_search *search)
{
	size_t npaths = search->paths->tree.nnodes;
	uint32_t *slot = cause_own_paths(search);
	double *before = mem_zalloc(npaths, 2 * sizeof(*before));
	double *after = before + npaths;
	struct grown *grown = mem_zalloc(npaths, sizeof(*grown));
	size_t n = 0;

	cause_costs(search, slot, npaths, before, after);
	for (size_t path = 1; path < npaths; path++) {
		if (after[path] > before[path])
			grown[n++] = (struct grown){(node_id)path, before[path], after[path]};
	}
	qsort_r(grown, n, sizeof(*grown), paths_by_growth, (void *)search->paths);
	for (size_t i = 0; i < n && i < CAUSES_STACKS; i++) {
		if (grown[i].after - grown[i].before <
			LEAST_GROWTH * (grown[0].after - grown[0].before))
			break;
		search->causes->stacks[search->causes->nstacks++] = stack_of(search, &grown[i]);
	}
	free(grown);
	free(before);
	free(slot);
}
