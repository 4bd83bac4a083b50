/* The paths of a tree with recursion removed, so that each function stands once on a path. */
#include "compare/causes_search.h"

#include "base/mem.h"
#include "base/random.h"

#include <stdlib.h>

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
