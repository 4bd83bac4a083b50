#include "profile/ctree.h"

#include "profile/profile.h"
#include "unit.h"

#include <stdio.h>

void suite_profile_ctree(void);

static void
weights_survive_growth(void)
{
	struct ctree tree;
	node_id nodes[3000];

	ctree_init(&tree);
	ctree_add_column(&tree);
	ctree_add_column(&tree);
	for (uint32_t i = 0; i < 3000; i++) {
		node_id parent = i == 0 ? CTREE_ROOT : nodes[i / 2];

		nodes[i] = ctree_child(&tree, parent, i + 1);
		ctree_add(&tree, i % 2, nodes[i], i);
	}
	for (uint32_t i = 0; i < 3000; i++) {
		CU_ASSERT_EQUAL(ctree_weight(&tree, i % 2, nodes[i]), i);
		CU_ASSERT_EQUAL(ctree_weight(&tree, 1 - i % 2, nodes[i]), 0);
		CU_ASSERT_EQUAL(ctree_child(&tree, tree.nodes[nodes[i]].parent, i + 1), nodes[i]);
	}
	CU_ASSERT_EQUAL(tree.nnodes, 3001);
	ctree_release(&tree);
}

/* Whatever was there is kept when a weight comes that is no small whole number. */
static void
weights_are_exact_whatever_their_size(void)
{
	static const double weights[] = {
		0, 1, 65535, 65536, 0.25, 4294967297.0, 9007199254740993e3, -3};
	const size_t n = sizeof(weights) / sizeof(weights[0]);
	struct ctree tree;

	ctree_init(&tree);
	for (uint32_t i = 0; i < 2 * n; i++)
		ctree_child(&tree, CTREE_ROOT, i + 1);
	/* In each column another one comes last. */
	for (size_t column = 0; column < n; column++) {
		ctree_add_column(&tree);
		for (size_t i = 1; i <= n; i++) {
			size_t node = (column + i) % n;

			ctree_add(&tree, column, (node_id)node + 1, weights[node]);
		}
		for (size_t i = 0; i < n; i++)
			CU_ASSERT_EQUAL(ctree_weight(&tree, column, (node_id)i + 1), weights[i]);
		ctree_add(&tree, column, 2, 65534);
		CU_ASSERT_EQUAL(ctree_weight(&tree, column, 2), 65535);
		ctree_set(&tree, column, 2, 0);
		CU_ASSERT_EQUAL(ctree_weight(&tree, column, 2), 0);
		CU_ASSERT_EQUAL(ctree_weight(&tree, column, (node_id)(2 * n)), 0);
	}
	ctree_release(&tree);
}

static void
columns_of_small_counts_take_two_bytes_a_node(void)
{
	struct ctree tree;

	ctree_init(&tree);
	node_id node = ctree_child(&tree, CTREE_ROOT, 1);

	for (size_t column = 0; column < 3; column++)
		ctree_add_column(&tree);
	ctree_add(&tree, 0, node, UINT16_MAX);
	ctree_add(&tree, 1, node, UINT16_MAX + 1);
	ctree_add(&tree, 2, node, 0.5);
	CU_ASSERT_PTR_NOT_NULL(tree.columns[0].counts);
	for (size_t column = 1; column < 3; column++) {
		CU_ASSERT_PTR_NULL(tree.columns[column].counts);
		CU_ASSERT_PTR_NOT_NULL(tree.columns[column].weights);
	}
	ctree_release(&tree);
}

static void
totals_add_children_into_parents(void)
{
	struct ctree tree;
	double out[4];

	ctree_init(&tree);
	ctree_add_column(&tree);
	ctree_add_column(&tree);
	node_id a = ctree_child(&tree, CTREE_ROOT, 1);
	node_id b = ctree_child(&tree, a, 2);
	node_id c = ctree_child(&tree, a, 3);

	ctree_add(&tree, 0, a, 1);
	ctree_add(&tree, 0, b, 2);
	ctree_add(&tree, 1, c, 4);
	ctree_sum(&tree, 0, 2, out);
	ctree_totals(&tree, out);
	CU_ASSERT_EQUAL(out[CTREE_ROOT], 7);
	CU_ASSERT_EQUAL(out[a], 7);
	CU_ASSERT_EQUAL(out[b], 2);
	CU_ASSERT_EQUAL(out[c], 4);
	ctree_sum(&tree, 1, 1, out);
	CU_ASSERT_EQUAL(out[a], 0);
	ctree_release(&tree);
}

/* Only children, first ones and later ones, in a tree wide and deep. */
static void
children_are_found_whatever_the_order_of_siblings(void)
{
	struct ctree tree;
	node_id nodes[5000];

	ctree_init(&tree);
	for (uint32_t i = 0; i < 5000; i++) {
		node_id parent = i % 7 == 0 ? CTREE_ROOT : nodes[i - 1 - i % 3 % i];

		nodes[i] = ctree_child(&tree, parent, i + 1);
		CU_ASSERT_EQUAL(ctree_child(&tree, parent, i + 1), nodes[i]);
	}
	/* As profile_sort() may: the other way round. */
	for (size_t i = 0; i < tree.nnodes; i++)
		tree.nodes[i].first_child = CTREE_NONE;
	for (node_id i = 1; i < tree.nnodes; i++) {
		struct ctree_node *parent = &tree.nodes[tree.nodes[i].parent];

		tree.nodes[i].next_sibling = parent->first_child;
		parent->first_child = i;
	}
	for (node_id i = (node_id)tree.nnodes; i-- > 1;)
		CU_ASSERT_EQUAL(ctree_child(&tree, tree.nodes[i].parent, tree.nodes[i].frame), i);
	CU_ASSERT_EQUAL(tree.nnodes, 5001);
	ctree_release(&tree);
}

/* Children of a few and of many, found and added again once they are in another order. */
static void
new_children_are_reported_from_old_ones_after_sorting(void)
{
	struct profile profile;
	char name[16];

	profile_init(&profile);
	struct ctree *tree = &profile.tree;

	for (uint32_t round = 1; round <= 4; round++) {
		for (uint32_t i = 0; i < 40 * round; i++) {
			int len = snprintf(name, sizeof(name), "f%u", i * 7919 % 1000);
			frame_id frame = profile_frame(&profile, name, (size_t)len, FRAME_USER);
			node_id wide = ctree_child(tree, CTREE_ROOT, frame);

			ctree_child(tree, ctree_child(tree, wide, 1), i % 9 + 1);
			ctree_child(tree, wide, i % 3 + 1);
		}
		size_t nodes = tree->nnodes;

		profile_sort(&profile);
		for (node_id i = 1; i < nodes; i++)
			CU_ASSERT_EQUAL(
				ctree_child(tree, tree->nodes[i].parent, tree->nodes[i].frame), i);
		CU_ASSERT_EQUAL(tree->nnodes, nodes);
	}
	profile_release(&profile);
}

static void
a_guess_is_taken_only_where_it_is_right(void)
{
	struct ctree tree;

	ctree_init(&tree);
	node_id a = ctree_child(&tree, CTREE_ROOT, 1);
	node_id b = ctree_child(&tree, a, 2);

	CU_ASSERT_EQUAL(ctree_child_near(&tree, a, 2, b), b);
	CU_ASSERT_EQUAL(ctree_child_near(&tree, a, 2, a), b);
	CU_ASSERT_EQUAL(ctree_child_near(&tree, a, 2, CTREE_NONE), b);
	CU_ASSERT_EQUAL(ctree_child_near(&tree, a, 2, b + 1), b);
	CU_ASSERT_EQUAL(ctree_child_near(&tree, CTREE_ROOT, 2, b), b + 1);
	CU_ASSERT_EQUAL(ctree_child_near(&tree, a, 1, a), b + 2);
	CU_ASSERT_EQUAL(tree.nnodes, 5);
	ctree_release(&tree);
}

/* A node of another parent may come right after one: it is not taken for its child. */
static void
the_node_behind_is_a_child_only_of_its_parent(void)
{
	struct ctree tree;

	ctree_init(&tree);
	node_id a = ctree_child(&tree, CTREE_ROOT, 1);
	node_id b = ctree_child(&tree, CTREE_ROOT, 2);
	node_id of_a = ctree_child(&tree, a, 2);
	node_id of_b = ctree_child(&tree, b, 2);

	CU_ASSERT(of_a != b && of_b != of_a);
	CU_ASSERT(ctree_is_child(&tree, CTREE_ROOT, 2, b));
	CU_ASSERT_FALSE(ctree_is_child(&tree, a, 2, b));
	CU_ASSERT_FALSE(ctree_is_child(&tree, CTREE_ROOT, 1, b));
	CU_ASSERT_FALSE(ctree_is_child(&tree, b, 2, (node_id)tree.nnodes));
	CU_ASSERT_EQUAL(ctree_child(&tree, a, 2), of_a);
	CU_ASSERT_EQUAL(ctree_child(&tree, b, 2), of_b);
	CU_ASSERT_EQUAL(tree.nnodes, 5);
	ctree_release(&tree);
}

static void
reserved_columns_hold_what_they_held(void)
{
	struct ctree tree;

	ctree_init(&tree);
	ctree_add_column(&tree);
	ctree_add_column(&tree);
	ctree_add(&tree, 0, ctree_child(&tree, CTREE_ROOT, 1), 3);
	for (uint32_t i = 0; i < 100; i++)
		ctree_child(&tree, CTREE_ROOT, i + 2);
	ctree_reserve(&tree, 0);
	ctree_reserve(&tree, 1);
	CU_ASSERT(tree.columns[0].capacity >= tree.nnodes && tree.columns[1].capacity >= 102);
	CU_ASSERT_EQUAL(ctree_weight(&tree, 0, 1), 3);
	CU_ASSERT_EQUAL(ctree_weight(&tree, 0, 101), 0);
	CU_ASSERT_EQUAL(ctree_weight(&tree, 1, 101), 0);
	ctree_release(&tree);
}

void
suite_profile_ctree(void)
{
	static const struct unit_case cases[] = {
		{"weights_survive_growth", weights_survive_growth},
		{"weights_are_exact_whatever_their_size", weights_are_exact_whatever_their_size},
		{"columns_of_small_counts_take_two_bytes_a_node",
			columns_of_small_counts_take_two_bytes_a_node},
		{"totals_add_children_into_parents", totals_add_children_into_parents},
		{"children_are_found_whatever_the_order_of_siblings",
			children_are_found_whatever_the_order_of_siblings},
		{"new_children_are_reported_from_old_ones_after_sorting",
			new_children_are_reported_from_old_ones_after_sorting},
		{"a_guess_is_taken_only_where_it_is_right",
			a_guess_is_taken_only_where_it_is_right},
		{"the_node_behind_is_a_child_only_of_its_parent",
			the_node_behind_is_a_child_only_of_its_parent},
		{"reserved_columns_hold_what_they_held", reserved_columns_hold_what_they_held},
		{NULL, NULL},
	};

	unit_suite("profile/ctree", cases);
}
