#include "flamegraph/sandwich.h"

#include "base/mem.h"

#include <stdlib.h>

static void
start(struct profile *side, const struct profile *profile)
{
	*side = *profile;
	side->nruns = 1;
	ctree_init(&side->tree);
	ctree_add_column(&side->tree);
}

/* The callers of one node, which has all of `weight`. */
static void
add_callers(struct profile *callers, const struct ctree *tree, node_id node, double weight)
{
	node_id to = CTREE_ROOT;

	for (node_id from = tree->nodes[node].parent; from != CTREE_ROOT;
		from = tree->nodes[from].parent)
		to = ctree_child(&callers->tree, to, tree->nodes[from].frame);
	ctree_add(&callers->tree, 0, to, weight);
}

void
sandwich_init(struct sandwich *sandwich, const struct profile *profile, const bool *focus)
{
	const struct ctree *tree = &profile->tree;
	double *self = mem_zalloc(tree->nnodes, 2 * sizeof(*self));
	double *total = self + tree->nnodes;
	node_id *below = mem_zalloc(tree->nnodes, sizeof(*below));

	start(&sandwich->callers, profile);
	start(&sandwich->callees, profile);
	ctree_sum(tree, 0, profile->nruns, self);
	ctree_sum(tree, 0, profile->nruns, total);
	ctree_totals(tree, total);
	/* Parents come first. */
	below[CTREE_ROOT] = CTREE_NONE;
	for (node_id node = 1; node < tree->nnodes; node++) {
		node_id parent = below[tree->nodes[node].parent];
		frame_id frame = tree->nodes[node].frame;

		below[node] = CTREE_NONE;
		if (parent != CTREE_NONE) {
			below[node] = ctree_child(&sandwich->callees.tree, parent, frame);
		} else if (focus[frame]) {
			below[node] = CTREE_ROOT;
			add_callers(&sandwich->callers, tree, node, total[node]);
		}
		if (below[node] != CTREE_NONE)
			ctree_add(&sandwich->callees.tree, 0, below[node], self[node]);
	}
	free(below);
	free(self);
}

void
sandwich_release(struct sandwich *sandwich)
{
	ctree_release(&sandwich->callers.tree);
	ctree_release(&sandwich->callees.tree);
}
