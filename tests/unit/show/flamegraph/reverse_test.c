#include "flamegraph/flamegraph.h"

#include "base/mem.h"
#include "flamegraph/draw.h"

#include <stdlib.h>

void suite_flamegraph_reverse(void);

/* The folded text of `text` reversed; free() it. */
static char *
reversed(const char *text)
{
	struct profile profile;
	struct buf out = {0};

	read_folded(&profile, text);
	flamegraph_reverse(&profile);
	profile_sort(&profile);
	for (node_id node = 1; node < profile.tree.nnodes; node++) {
		struct buf line = {0};
		double weight = ctree_weight(&profile.tree, 0, node);

		for (node_id at = node; weight > 0 && at != CTREE_ROOT;
			at = profile.tree.nodes[at].parent)
			buf_printf(&line, "%s<",
				profile_frame_name(&profile, profile.tree.nodes[at].frame));
		if (weight > 0)
			buf_printf(&out, "%s %g\n", buf_text(&line), weight);
		buf_release(&line);
	}
	profile_release(&profile);
	char *result = mem_strdup(buf_text(&out));

	buf_release(&out);
	return result;
}

static void
stacks_are_merged_from_their_ends(void)
{
	char *text = reversed("app;main;parse 3\napp;init;parse 2\napp;main 1\n");

	/* Outermost last: what began the stack is what the reversed one ends with. */
	UNIT_CONTAINS(text, "app<main<parse< 3\n");
	UNIT_CONTAINS(text, "app<init<parse< 2\n");
	UNIT_CONTAINS(text, "app<main< 1\n");
	free(text);
}

static void
a_function_is_one_box_whoever_called_it(void)
{
	struct profile profile;

	read_folded(&profile, "app;main;parse 3\napp;init;parse 2\n");
	flamegraph_reverse(&profile);
	const struct ctree_node *nodes = profile.tree.nodes;
	node_id first = nodes[CTREE_ROOT].first_child;

	CU_ASSERT_STRING_EQUAL(profile_frame_name(&profile, nodes[first].frame), "parse");
	CU_ASSERT_EQUAL(nodes[first].next_sibling, CTREE_NONE);
	UNIT_NEAR(profile_column_total(&profile, 0), 5, 0);
	profile_release(&profile);
}

static void
a_deep_recursion_is_cut_and_keeps_its_weight(void)
{
	struct buf text = {0};
	struct profile profile;

	for (int depth = 1; depth <= 2000; depth++) {
		for (int i = 0; i < depth; i++)
			buf_puts(&text, i > 0 ? ";f" : "f");
		buf_puts(&text, " 1\n");
	}
	read_folded(&profile, buf_text(&text));
	flamegraph_reverse(&profile);
	CU_ASSERT_EQUAL(profile.tree.nnodes, FLAMEGRAPH_REVERSE_LEVELS + 1);
	UNIT_NEAR(profile_column_total(&profile, 0), 2000, 0);
	profile_release(&profile);
	buf_release(&text);
}

void
suite_flamegraph_reverse(void)
{
#define CASE(name)          \
	{                   \
#name, name \
	}
	static const struct unit_case cases[] = {
		CASE(stacks_are_merged_from_their_ends),
		CASE(a_function_is_one_box_whoever_called_it),
		CASE(a_deep_recursion_is_cut_and_keeps_its_weight),
		{NULL, NULL},
	};
#undef CASE

	unit_suite("flamegraph/reverse", cases);
}
