#include "profile/ctree.h"

#include "base/hash.h"
#include "base/mem.h"

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
	tree->nslots = 1024;
	tree->slots = mem_zalloc(tree->nslots, sizeof(*tree->slots));
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

static size_t
find_slot(const struct ctree *tree, node_id parent, frame_id frame)
{
	size_t mask = tree->nslots - 1;

	for (size_t at = hash_u64((uint64_t)parent << 32 | frame) & mask;; at = (at + 1) & mask) {
		node_id node = tree->slots[at];

		if (node == 0 ||
			(tree->nodes[node].parent == parent && tree->nodes[node].frame == frame))
			return at;
	}
}

static void
rehash(struct ctree *tree)
{
	free(tree->slots);
	tree->nslots *= 2;
	tree->slots = mem_zalloc(tree->nslots, sizeof(*tree->slots));
	for (size_t i = 1; i < tree->nnodes; i++) {
		const struct ctree_node *node = &tree->nodes[i];

		tree->slots[find_slot(tree, node->parent, node->frame)] = (uint32_t)i;
	}
}

node_id
ctree_child(struct ctree *tree, node_id parent, frame_id frame)
{
	size_t at = find_slot(tree, parent, frame);

	if (tree->slots[at] != 0)
		return tree->slots[at];
	if (tree->nnodes * 2 >= tree->nslots) {
		rehash(tree);
		at = find_slot(tree, parent, frame);
	}
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
	tree->slots[at] = node;
	return node;
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
