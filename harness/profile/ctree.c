#include "profile/ctree.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void
ctree_init(struct ctree *tree)
{
	*tree = (struct ctree){0};
	tree->nodes = mem_grow(NULL, &tree->nodes_capacity, 1, sizeof(*tree->nodes));
	tree->nodes[0] = (struct ctree_node){
		.parent = CTREE_NONE, .first_child = CTREE_NONE, .next_sibling = CTREE_NONE};
	tree->nnodes = 1;
}

void
ctree_release(struct ctree *tree)
{
	for (size_t i = 0; i < tree->ncolumns; i++)
		free(tree->columns[i].weights);
	free(tree->columns);
	free(tree->nodes);
	free(tree->slots);
	*tree = (struct ctree){0};
}

size_t
ctree_add_column(struct ctree *tree)
{
	tree->columns = mem_grow(
		tree->columns, &tree->columns_capacity, tree->ncolumns + 1, sizeof(*tree->columns));
	return tree->ncolumns++;
}

void
ctree_drop_column(struct ctree *tree)
{
	struct ctree_column *last = &tree->columns[--tree->ncolumns];

	free(last->weights);
	*last = (struct ctree_column){0};
}

/* Where the child is, or the empty slot where it would go. */
static size_t
find_slot(const struct ctree *tree, node_id parent, frame_id frame)
{
	uint64_t hash = hash_u64((uint64_t)parent << 32 | frame);
	uint32_t tag = (uint32_t)(hash >> 32);
	size_t mask = tree->nslots - 1;

	for (size_t at = hash & mask;; at = (at + 1) & mask) {
		struct ctree_slot slot = tree->slots[at];

		if (slot.node == 0 || (slot.tag == tag && tree->nodes[slot.node].parent == parent &&
					      tree->nodes[slot.node].frame == frame))
			return at;
	}
}

static void
fill_slot(struct ctree *tree, size_t at, node_id node)
{
	const struct ctree_node *of = &tree->nodes[node];
	uint64_t hash = hash_u64((uint64_t)of->parent << 32 | of->frame);

	tree->slots[at] = (struct ctree_slot){.tag = (uint32_t)(hash >> 32), .node = node};
	tree->nfilled++;
}

static bool
is_only_child(const struct ctree *tree, node_id node)
{
	node_id first = tree->nodes[tree->nodes[node].parent].first_child;

	return first == node && tree->nodes[node].next_sibling == CTREE_NONE;
}

static void
rehash(struct ctree *tree)
{
	free(tree->slots);
	tree->nslots = tree->nslots ? tree->nslots * 2 : 1024;
	tree->slots = mem_zalloc(tree->nslots, sizeof(*tree->slots));
	tree->nfilled = 0;
	for (node_id i = 1; i < tree->nnodes; i++) {
		const struct ctree_node *node = &tree->nodes[i];

		if (!is_only_child(tree, i))
			fill_slot(tree, find_slot(tree, node->parent, node->frame), i);
	}
}

static node_id
append(struct ctree *tree, node_id parent, frame_id frame)
{
	tree->nodes = mem_grow(
		tree->nodes, &tree->nodes_capacity, tree->nnodes + 1, sizeof(*tree->nodes));
	node_id node = (node_id)tree->nnodes++;

	tree->nodes[node] = (struct ctree_node){
		.frame = frame,
		.parent = parent,
		.first_child = CTREE_NONE,
		.next_sibling = tree->nodes[parent].first_child,
	};
	tree->nodes[parent].first_child = node;
	return node;
}

/* The parent has children, and not this one as its only or first one. */
static node_id
find_among_siblings(struct ctree *tree, node_id parent, frame_id frame)
{
	node_id first = tree->nodes[parent].first_child;
	bool first_is_alone = tree->nodes[first].next_sibling == CTREE_NONE;

	if ((tree->nfilled + 2) * 2 >= tree->nslots)
		rehash(tree);
	if (first_is_alone)
		fill_slot(tree, find_slot(tree, parent, tree->nodes[first].frame), first);

	size_t at = find_slot(tree, parent, frame);

	if (tree->slots[at].node != 0)
		return tree->slots[at].node;
	node_id node = append(tree, parent, frame);

	fill_slot(tree, at, node);
	return node;
}

node_id
ctree_child(struct ctree *tree, node_id parent, frame_id frame)
{
	node_id first = tree->nodes[parent].first_child;

	if (first == CTREE_NONE)
		return append(tree, parent, frame);
	if (tree->nodes[first].frame == frame)
		return first;
	return find_among_siblings(tree, parent, frame);
}

void
ctree_add(struct ctree *tree, size_t column, node_id node, double weight)
{
	struct ctree_column *into = &tree->columns[column];

	if (node >= into->capacity)
		into->weights = mem_grow(
			into->weights, &into->capacity, (size_t)node + 1, sizeof(*into->weights));
	into->weights[node] += weight;
}

double
ctree_weight(const struct ctree *tree, size_t column, node_id node)
{
	const struct ctree_column *from = &tree->columns[column];

	return node < from->capacity ? from->weights[node] : 0;
}

void
ctree_sum(const struct ctree *tree, size_t first, size_t count, double *out)
{
	memset(out, 0, tree->nnodes * sizeof(*out));
	for (size_t column = first; column < first + count; column++) {
		const struct ctree_column *from = &tree->columns[column];
		size_t n = from->capacity < tree->nnodes ? from->capacity : tree->nnodes;

		for (size_t node = 0; node < n; node++)
			out[node] += from->weights[node];
	}
}

void
ctree_totals(const struct ctree *tree, double *weights)
{
	for (size_t node = tree->nnodes - 1; node > 0; node--)
		weights[tree->nodes[node].parent] += weights[node];
}
