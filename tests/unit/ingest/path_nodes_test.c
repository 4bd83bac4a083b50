#include "ingest/path_nodes.h"

#include "unit.h"

void suite_ingest_path_nodes(void);

/* Goes 1..5 frames down, as the bits of `turns` say; the same twice must end at the same node. */
static node_id
go(const struct path_nodes *nodes, struct ctree *tree, uint32_t turns)
{
	node_id node = CTREE_ROOT;
	uint64_t path = 0;

	for (uint32_t i = 0; i <= turns % 5; i++) {
		frame_id frame = 1 + (turns >> (4 * i)) % 16;

		path = path_nodes_further(path, frame);
		node = path_nodes_child(nodes, tree, node, frame, path);
	}
	return node;
}

/* More nodes than are kept, so that they displace one another. */
static void
test_displaced(void)
{
	struct path_nodes nodes;
	struct ctree tree;
	struct ctree plain;
	size_t wrong = 0;

	path_nodes_init(&nodes);
	ctree_init(&tree);
	ctree_init(&plain);
	for (uint32_t i = 0; i < 200000; i++) {
		uint32_t turns = i * UINT32_C(2654435761) >> 7;
		node_id node = CTREE_ROOT;

		for (uint32_t k = 0; k <= turns % 5; k++)
			node = ctree_child(&plain, node, 1 + (turns >> (4 * k)) % 16);
		wrong += go(&nodes, &tree, turns) != node;
		wrong += go(&nodes, &tree, turns) != node;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_EQUAL(tree.nnodes, plain.nnodes);
	CU_ASSERT(tree.nnodes > (size_t)1 << PATH_NODES_BITS);
	ctree_release(&plain);
	ctree_release(&tree);
	path_nodes_release(&nodes);
}

/* One place for all: it must not be taken for that of another parent or frame. */
static void
test_shared_place(void)
{
	struct path_nodes nodes;
	struct ctree tree;

	path_nodes_init(&nodes);
	ctree_init(&tree);
	node_id a = path_nodes_child(&nodes, &tree, CTREE_ROOT, 1, 0);
	node_id b = path_nodes_child(&nodes, &tree, CTREE_ROOT, 2, 0);
	node_id of_a = path_nodes_child(&nodes, &tree, a, 2, 0);
	node_id of_b = path_nodes_child(&nodes, &tree, b, 2, 0);

	for (int i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(path_nodes_child(&nodes, &tree, CTREE_ROOT, 1, 0), a);
		CU_ASSERT_EQUAL(path_nodes_child(&nodes, &tree, CTREE_ROOT, 2, 0), b);
		CU_ASSERT_EQUAL(path_nodes_child(&nodes, &tree, a, 2, 0), of_a);
		CU_ASSERT_EQUAL(path_nodes_child(&nodes, &tree, b, 2, 0), of_b);
	}
	CU_ASSERT_EQUAL(tree.nnodes, 5);
	ctree_release(&tree);
	path_nodes_release(&nodes);
}

void
suite_ingest_path_nodes(void)
{
	static const struct unit_case cases[] = {
		{"nodes_are_those_of_the_tree_when_they_displace_one_another", test_displaced},
		{"paths_that_share_a_place_are_told_apart", test_shared_place},
		{NULL, NULL},
	};

	unit_suite("ingest/path_nodes", cases);
}
