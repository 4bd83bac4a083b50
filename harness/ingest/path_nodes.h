/*
 * The nodes of the call tree that stacks lead to again and again, by the path to them: a small
 * memory in front of ctree_child().
 *
 * A path is told from the frames alone, before the nodes on the way are known: so the processor can
 * fetch ahead what is kept of all frames of a stack.
 */
#ifndef INGEST_PATH_NODES_H
#define INGEST_PATH_NODES_H

#include "profile/ctree.h"

#include <stddef.h>
#include <stdint.h>

#define PATH_NODES_BITS 15

struct path_node {
	node_id parent;
	frame_id frame;
	node_id node; /* 0: nothing is kept here */
};

/* Of the paths that share a place the last one is kept. */
struct path_nodes {
	struct path_node *kept;
};

void path_nodes_init(struct path_nodes *nodes);
void path_nodes_release(struct path_nodes *nodes);

/* The path one frame further; the root's may be any number. */
static inline uint64_t
path_nodes_further(uint64_t path, frame_id frame)
{
	return (path ^ frame) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The place of a path. */
static inline struct path_node *
path_nodes_at(const struct path_nodes *nodes, uint64_t path)
{
	return &nodes->kept[path >> (64 - PATH_NODES_BITS)];
}

/* The child of `parent` with this frame, which `path` leads to; added to the tree if new. */
static inline node_id
path_nodes_child(const struct path_nodes *nodes, struct ctree *tree, node_id parent, frame_id frame,
	uint64_t path)
{
	if (ctree_is_child(tree, parent, frame, parent + 1))
		return parent + 1;
	struct path_node *kept = path_nodes_at(nodes, path);

	if (kept->parent != parent || kept->frame != frame || kept->node == 0)
		*kept = (struct path_node){parent, frame, ctree_child(tree, parent, frame)};
	return kept->node;
}

#endif
