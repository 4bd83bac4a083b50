/*
 * The call tree: an interned prefix tree of frames whose nodes hold a weight per run.
 *
 * Node 0 is the root; it has no frame and no weight of its own. A node's id is greater than its
 * parent's, so one pass from the last id to the first adds children into parents, and one from the
 * first to the last sees parents before children. A weight is that of the samples exactly at that
 * node (self); totals are derived.
 */
#ifndef PROFILE_CTREE_H
#define PROFILE_CTREE_H

#include "base/map.h"
#include "profile/frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t node_id;

#define CTREE_ROOT ((node_id)0)
#define CTREE_NONE UINT32_MAX

struct ctree_node {
	frame_id frame;
	node_id parent;       /* CTREE_NONE for the root */
	node_id first_child;  /* CTREE_NONE if none */
	node_id next_sibling; /* CTREE_NONE if last */
};

/*
 * Self weights by node; the nodes beyond `capacity` have none. Read with ctree_weight(). Nearly all
 * columns hold numbers of samples: while each weight is a whole number that fits, it takes two
 * bytes.
 */
struct ctree_column {
	uint16_t *counts; /* owned; NULL where `weights` is used, or nothing was added */
	double *weights;  /* owned; NULL until a weight does not fit into `counts` */
	size_t capacity;
};

struct ctree {
	struct ctree_node *nodes;
	size_t nnodes;
	size_t nodes_capacity;
	/*
	 * (parent, frame) -> node, for nodes with many siblings: most nodes of a call tree have
	 * few, and are found among their parent's children. Of a parent's children it holds the end
	 * of their list, or all of it.
	 */
	struct map many;
	struct ctree_column *columns;
	size_t ncolumns;
	size_t columns_capacity;
};

void ctree_init(struct ctree *tree);
void ctree_release(struct ctree *tree);

/* Adds a column of zeros and returns its index. */
size_t ctree_add_column(struct ctree *tree);
/* Removes the last column. */
void ctree_drop_column(struct ctree *tree);
/* Whether `node` is the child of `parent` with this frame. */
static inline bool
ctree_is_child(const struct ctree *tree, node_id parent, frame_id frame, node_id node)
{
	return node < tree->nnodes && tree->nodes[node].frame == frame &&
	       tree->nodes[node].parent == parent;
}

/* The child of `parent` with this frame, added if new. */
node_id ctree_child(struct ctree *tree, node_id parent, frame_id frame);
/*
 * The same where the node is probably `guess`: for the nodes of a similar tree, in order, it is the
 * node after the one found last.
 */
static inline node_id
ctree_child_near(struct ctree *tree, node_id parent, frame_id frame, node_id guess)
{
	return ctree_is_child(tree, parent, frame, guess) ? guess
							  : ctree_child(tree, parent, frame);
}

/* Adds a child even if there is one with this frame; it comes first among its siblings. */
node_id ctree_append(struct ctree *tree, node_id parent, frame_id frame);

/* To be called where the order of siblings was changed from outside. */
void ctree_reordered(struct ctree *tree);

/* Makes room in `column` for the weights of all nodes there are, so that it need not grow. */
void ctree_reserve(struct ctree *tree, size_t column);
/* The self weight of `node` in `column`. */
static inline double
ctree_weight(const struct ctree *tree, size_t column, node_id node)
{
	const struct ctree_column *from = &tree->columns[column];

	if (node >= from->capacity)
		return 0;
	return from->counts ? from->counts[node] : from->weights[node];
}
/* Sets it. */
void ctree_set(struct ctree *tree, size_t column, node_id node, double weight);
/* Adds to it. */
static inline void
ctree_add(struct ctree *tree, size_t column, node_id node, double weight)
{
	ctree_set(tree, column, node, ctree_weight(tree, column, node) + weight);
}

/* Multiplies the weights of a column by `factor`. */
void ctree_scale(struct ctree *tree, size_t column, double factor);
/* Self weights summed over columns first..first+count-1 into out[nnodes]. */
void ctree_sum(const struct ctree *tree, size_t first, size_t count, double *out);
/* In place: weights[nnodes] of self become totals (self and everything below). */
void ctree_totals(const struct ctree *tree, double *weights);

#endif
