#include "profile/ctree.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* So many children are searched one by one before the map is used. */
#define FEW_SIBLINGS 6

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
	while (tree->ncolumns > 0)
		ctree_drop_column(tree);
	free(tree->columns);
	free(tree->nodes);
	map_release(&tree->many);
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

	free(last->counts);
	free(last->weights);
	*last = (struct ctree_column){0};
}

static uint64_t
hash_child(node_id parent, frame_id frame)
{
	return hash_u64((uint64_t)parent << 32 | frame);
}

/* Looks up the child in the map; CTREE_ROOT if it is not there. */
static node_id
find_indexed(const struct ctree *tree, node_id parent, frame_id frame)
{
	uint64_t hash = hash_child(parent, frame);

	for (struct map_search search = map_search(&tree->many, hash); map_next(&search);)
		if (ctree_is_child(tree, parent, frame, search.id))
			return search.id;
	return CTREE_ROOT;
}

static void
index_node(struct ctree *tree, node_id node)
{
	map_add(&tree->many, hash_child(tree->nodes[node].parent, tree->nodes[node].frame), node);
}

node_id
ctree_append(struct ctree *tree, node_id parent, frame_id frame)
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

/* New children come first in the list: those before one that is indexed are not indexed yet. */
static bool
index_children(struct ctree *tree, node_id parent)
{
	node_id child = tree->nodes[parent].first_child;
	bool any = false;

	for (; child != CTREE_NONE; child = tree->nodes[child].next_sibling) {
		if (find_indexed(tree, parent, tree->nodes[child].frame) != CTREE_ROOT)
			break;
		index_node(tree, child);
		any = true;
	}
	return any;
}

static node_id
find_among_many(struct ctree *tree, node_id parent, frame_id frame)
{
	node_id child = find_indexed(tree, parent, frame);

	if (child == 0 && index_children(tree, parent))
		child = find_indexed(tree, parent, frame);
	if (child == 0) {
		child = ctree_append(tree, parent, frame);
		index_node(tree, child);
	}
	return child;
}

node_id
ctree_child(struct ctree *tree, node_id parent, frame_id frame)
{
	node_id child = tree->nodes[parent].first_child;

	/* A path is added node by node: the first child of each is the node after it. */
	if (child != CTREE_NONE && ctree_is_child(tree, parent, frame, parent + 1))
		return parent + 1;
	for (int i = 0; child != CTREE_NONE; i++) {
		if (tree->nodes[child].frame == frame)
			return child;
		if (i == FEW_SIBLINGS)
			return find_among_many(tree, parent, frame);
		child = tree->nodes[child].next_sibling;
	}
	return ctree_append(tree, parent, frame);
}

void
ctree_reordered(struct ctree *tree)
{
	map_release(&tree->many);
}

/* Makes the column hold `count` nodes. */
static void
make_room(struct ctree_column *column, size_t count)
{
	if (column->weights)
		column->weights = mem_grow(
			column->weights, &column->capacity, count, sizeof(*column->weights));
	else
		column->counts =
			mem_grow(column->counts, &column->capacity, count, sizeof(*column->counts));
}

static void
widen(struct ctree_column *column)
{
	column->weights = mem_zalloc(column->capacity, sizeof(*column->weights));
	for (size_t node = 0; node < column->capacity; node++)
		column->weights[node] = column->counts[node];
	free(column->counts);
	column->counts = NULL;
}

void
ctree_reserve(struct ctree *tree, size_t column)
{
	struct ctree_column *into = &tree->columns[column];

	if (into->capacity > 0) {
		make_room(into, tree->nnodes);
	} else {
		into->counts = mem_zalloc(tree->nnodes, sizeof(*into->counts));
		into->capacity = tree->nnodes;
	}
}

void
ctree_set(struct ctree *tree, size_t column, node_id node, double weight)
{
	struct ctree_column *into = &tree->columns[column];

	make_room(into, (size_t)node + 1);
	if (into->counts) {
		uint16_t count = weight > 0 && weight <= UINT16_MAX ? (uint16_t)weight : 0;

		if (count == weight) {
			into->counts[node] = count;
			return;
		}
		widen(into);
	}
	into->weights[node] = weight;
}

void
ctree_scale(struct ctree *tree, size_t column, double factor)
{
	const size_t capacity = tree->columns[column].capacity;

	for (size_t node = 0; node < capacity && node < tree->nnodes; node++) {
		double weight = ctree_weight(tree, column, (node_id)node);

		if (weight > 0)
			ctree_set(tree, column, (node_id)node, weight * factor);
	}
}

void
ctree_sum(const struct ctree *tree, size_t first, size_t count, double *out)
{
	memset(out, 0, tree->nnodes * sizeof(*out));
	for (size_t column = first; column < first + count; column++) {
		const struct ctree_column *from = &tree->columns[column];
		size_t n = from->capacity < tree->nnodes ? from->capacity : tree->nnodes;

		for (size_t node = 0; node < n && from->counts; node++)
			out[node] += from->counts[node];
		for (size_t node = 0; node < n && from->weights; node++)
			out[node] += from->weights[node];
	}
}

void
ctree_totals(const struct ctree *tree, double *weights)
{
	for (size_t node = tree->nnodes - 1; node > 0; node--)
		weights[tree->nodes[node].parent] += weights[node];
}
