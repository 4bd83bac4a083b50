#include "analysis/recursion.h"

#include "base/key_map.h"
#include "base/mem.h"

#include <stdlib.h>

/* The walk: what is open between the root and the current node. */
struct walk {
	const struct ctree_node *nodes;
	struct recursion *found;
	node_id *innermost;   /* by frame: the last node that is open; CTREE_ROOT if none is */
	struct key_map calls; /* of a caller's frame and a callee's */
	uint32_t *open;       /* by call: how many are */
	size_t capacity;
};

static uint32_t *
open_of(struct walk *walk, node_id node)
{
	const frame_id caller = walk->nodes[walk->nodes[node].parent].frame;
	const uint32_t number =
		key_map_add(&walk->calls, key_of_pair(caller, walk->nodes[node].frame));
	const size_t known = walk->capacity;

	walk->open = mem_grow(walk->open, &walk->capacity, (size_t)number + 1, sizeof(*walk->open));
	for (size_t i = known; i < walk->capacity; i++)
		walk->open[i] = 0;
	return &walk->open[number];
}

static void
enter(struct walk *walk, node_id node)
{
	node_id *innermost = &walk->innermost[walk->nodes[node].frame];
	uint32_t *open = open_of(walk, node);

	walk->found->same[node] = *innermost;
	*innermost = node;
	walk->found->call[node] = (*open)++ > 0;
}

static void
leave(struct walk *walk, node_id node)
{
	walk->innermost[walk->nodes[node].frame] = walk->found->same[node];
	--*open_of(walk, node);
}

static void
walk_tree(struct walk *walk)
{
	node_id node = walk->nodes[CTREE_ROOT].first_child;

	while (node != CTREE_NONE) {
		enter(walk, node);
		node_id next = walk->nodes[node].first_child;

		while (next == CTREE_NONE && node != CTREE_ROOT) {
			leave(walk, node);
			next = walk->nodes[node].next_sibling;
			node = walk->nodes[node].parent;
		}
		node = next;
	}
}

void
recursion_init(struct recursion *recursion, const struct profile *profile)
{
	const struct ctree *tree = &profile->tree;
	const struct ctree_node *nodes = tree->nodes;
	struct walk walk = {.nodes = nodes,
		.found = recursion,
		.innermost = mem_zalloc(profile->frames.nframes + 1, sizeof(node_id))};

	*recursion = (struct recursion){
		.same = mem_zalloc(tree->nnodes, sizeof(node_id)),
		.other = mem_zalloc(tree->nnodes, sizeof(node_id)),
		.top = mem_zalloc(tree->nnodes, sizeof(node_id)),
		.call = mem_zalloc(tree->nnodes, sizeof(bool)),
	};
	/* A parent's number is below its children's. */
	for (node_id node = 1; node < tree->nnodes; node++) {
		const node_id parent = nodes[node].parent;
		const bool direct =
			parent != CTREE_ROOT && nodes[parent].frame == nodes[node].frame;

		recursion->other[node] = direct ? recursion->other[parent] : parent;
		recursion->top[node] = parent == CTREE_ROOT ? node : recursion->top[parent];
	}
	walk_tree(&walk);
	key_map_release(&walk.calls);
	free(walk.open);
	free(walk.innermost);
}

void
recursion_release(struct recursion *recursion)
{
	free(recursion->same);
	free(recursion->other);
	free(recursion->top);
	free(recursion->call);
}
