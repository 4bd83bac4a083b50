/* Reverses the stacks of a profile, for a picture of the callers of hot functions. */
#include "flamegraph/flamegraph.h"

#include <stdbool.h>

static bool
has_weight(const struct ctree *tree, node_id node)
{
	for (size_t column = 0; column < tree->ncolumns; column++) {
		if (ctree_weight(tree, column, node) != 0)
			return true;
	}
	return false;
}

void
flamegraph_reverse(struct profile *profile)
{
	struct ctree *tree = &profile->tree;
	struct ctree reversed;

	ctree_init(&reversed);
	while (reversed.ncolumns < tree->ncolumns)
		ctree_add_column(&reversed);
	for (node_id node = 1; node < tree->nnodes; node++) {
		node_id to = CTREE_ROOT;
		size_t levels = 0;

		if (!has_weight(tree, node))
			continue;
		for (node_id from = node; from != CTREE_ROOT && levels < FLAMEGRAPH_REVERSE_LEVELS;
			from = tree->nodes[from].parent, levels++)
			to = ctree_child(&reversed, to, tree->nodes[from].frame);
		for (size_t column = 0; column < tree->ncolumns; column++)
			ctree_add(&reversed, column, to, ctree_weight(tree, column, node));
	}
	ctree_release(tree);
	*tree = reversed;
}
