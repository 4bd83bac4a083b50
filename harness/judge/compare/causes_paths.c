/*
 * The paths of a tree with recursion taken out, those of them that carry a growth, and the direct
 * callers and callees that share it.
 */
#include "compare/causes_search.h"

#include "base/mem.h"
#include "base/random.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/*
 * The walk down the tree, depth first. A function that stands on the path already takes the path
 * back to there (the erasing of loops: Lawler, Duke Mathematical Journal 47, 1980), so every step
 * writes one place of `path` and one of `at` at most, which are put back on the way up.
 */
struct walk {
	const struct profile *profile;
	const frame_id *same;
	struct cause_paths *paths;
	size_t depths_capacity;
	size_t hashes_capacity;
	uint64_t *names;   /* by frame: hash of its name and kind */
	node_id *path;     /* by depth: the path that is walked; beyond the present depth, stale */
	node_id *at;       /* by frame: where it stood on a path last; 0: nowhere */
	node_id *old_path; /* by node of the profile: the value that its step overwrote */
	node_id *old_at;
};

static uint64_t *
hash_names(const struct profile *profile)
{
	uint64_t *hashes = mem_zalloc(profile->frames.nframes, sizeof(*hashes));

	for (frame_id frame = 1; frame < profile->frames.nframes; frame++) {
		uint64_t hash = (uint64_t)profile->frames.frames[frame].kind + 1;

		for (const char *c = profile_frame_name(profile, frame); *c; c++)
			hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
		hashes[frame] = random_mix(hash);
	}
	return hashes;
}

static node_id
enter_node(struct walk *walk, node_id node)
{
	const struct ctree_node *nodes = walk->profile->tree.nodes;
	struct cause_paths *paths = walk->paths;
	node_id from = paths->of[nodes[node].parent];
	frame_id frame = walk->same[nodes[node].frame];
	node_id there = walk->at[frame];
	uint32_t depth = paths->depths[from];

	if (there && paths->depths[there] <= depth && walk->path[paths->depths[there]] == there) {
		walk->old_path[node] = CTREE_NONE;
		paths->of[node] = there;
		return there;
	}
	node_id to = ctree_child(&paths->tree, from, frame);

	paths->depths = mem_grow(
		paths->depths, &walk->depths_capacity, paths->tree.nnodes, sizeof(*paths->depths));
	paths->hashes = mem_grow(
		paths->hashes, &walk->hashes_capacity, paths->tree.nnodes, sizeof(*paths->hashes));
	paths->hashes[to] = random_mix(paths->hashes[from] + walk->names[frame]);
	paths->depths[to] = depth + 1;
	walk->old_path[node] = walk->path[depth + 1];
	walk->old_at[node] = there;
	walk->path[depth + 1] = to;
	walk->at[frame] = to;
	paths->of[node] = to;
	return to;
}

static void
leave(struct walk *walk, node_id node)
{
	node_id to = walk->paths->of[node];

	if (walk->old_path[node] == CTREE_NONE)
		return;
	walk->path[walk->paths->depths[to]] = walk->old_path[node];
	walk->at[walk->same[walk->profile->tree.nodes[node].frame]] = walk->old_at[node];
}

static void
walk_down(struct walk *walk)
{
	const struct ctree_node *nodes = walk->profile->tree.nodes;
	node_id node = nodes[CTREE_ROOT].first_child;

	while (node != CTREE_NONE) {
		enter_node(walk, node);
		node_id next = nodes[node].first_child;

		while (next == CTREE_NONE && node != CTREE_ROOT) {
			leave(walk, node);
			next = nodes[node].next_sibling;
			node = nodes[node].parent;
		}
		node = next;
	}
}

void
cause_paths_init(struct cause_paths *paths, const struct profile *profile, const frame_id *same)
{
	size_t nnodes = profile->tree.nnodes;
	node_id *scratch = mem_zalloc(3 * (nnodes + 1) + profile->frames.nframes, sizeof(*scratch));
	struct walk walk = {
		.profile = profile,
		.same = same,
		.paths = paths,
		.path = scratch,
		.old_path = scratch + nnodes + 1,
		.old_at = scratch + 2 * (nnodes + 1),
		.at = scratch + 3 * (nnodes + 1),
	};

	*paths = (struct cause_paths){.of = mem_zalloc(nnodes + 1, sizeof(*paths->of))};
	ctree_init(&paths->tree);
	paths->depths = mem_grow(NULL, &walk.depths_capacity, 1, sizeof(*paths->depths));
	paths->hashes = mem_grow(NULL, &walk.hashes_capacity, 1, sizeof(*paths->hashes));
	walk.names = hash_names(profile);
	walk_down(&walk);
	free(walk.names);
	free(scratch);
}

void
cause_paths_release(struct cause_paths *paths)
{
	ctree_release(&paths->tree);
	free(paths->of);
	free(paths->depths);
	free(paths->hashes);
}

/* For code inlined in the function, too, the path ends at the function. */
uint32_t *
cause_own_paths(const struct cause_search *search)
{
	const struct ctree *tree = &search->comparison->profile.tree;
	uint32_t *slot = mem_zalloc(tree->nnodes, sizeof(*slot));

	slot[CTREE_ROOT] = CAUSE_NOWHERE;
	for (size_t i = 1; i < tree->nnodes; i++) {
		if (search->code[i] != search->frame)
			slot[i] = CAUSE_NOWHERE;
		else if (tree->nodes[i].frame == search->frame)
			slot[i] = search->paths->of[i];
		else
			slot[i] = slot[tree->nodes[i].parent];
	}
	return slot;
}

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
