#include "analysis/data.h"

#include "profile/folded.h"
#include "unit.h"

#include <stdlib.h>

void suite_analysis_data(void);

static size_t
callees(const char *text, const char *of, struct function_edge first[2], const char *names[2])
{
	struct err err = {0};
	struct profile profile;
	struct analysis_data data;
	struct analysis_edges edges = {0};

	profile_init(&profile);
	CU_ASSERT_EQUAL_FATAL(folded_read(&profile, "t", text, strlen(text), &err), 0);
	profile_sort(&profile);
	analysis_data_init(&data, &profile);
	analysis_callees(&data, profile_frame_text(&profile, of, strlen(of)), &edges);
	for (size_t i = 0; i < edges.nedges && i < 2; i++) {
		first[i] = edges.edges[i];
		CU_ASSERT_EQUAL(
			first[i].frame, profile_frame_text(&profile, names[i], strlen(names[i])));
	}
	free(edges.edges);
	analysis_data_release(&data);
	profile_release(&profile);
	return edges.nedges;
}

static void
callees_are_ranked(void)
{
	const char *names[] = {"x", "y"};
	struct function_edge edges[2] = {{0}};

	CU_ASSERT_EQUAL(
		callees("m;a;x 5\nm;a;y 7\nm;z;a;x 1\nm;a;a;x 2\nm;a 9\n", "a", edges, names), 2);
	CU_ASSERT_EQUAL(edges[0].weight, 8);
	CU_ASSERT_EQUAL(edges[1].weight, 7);
}

static void
mutual_recursion_does_not_inflate_callees(void)
{
	const char *names[] = {"b", ""};
	struct function_edge edges[2] = {{0}};

	CU_ASSERT_EQUAL(callees("m;a;b;a;b;a;b 10\n", "a", edges, names), 1);
	CU_ASSERT_EQUAL(edges[0].weight, 10);
}

/* The node of the deepest frame of the only stack. */
static node_id
read_stack(struct profile *profile, const char *text)
{
	struct err err = {0};

	profile_init(profile);
	CU_ASSERT_EQUAL_FATAL(folded_read(profile, "x", text, strlen(text), &err), 0);
	return (node_id)profile->tree.nnodes - 1;
}

static void
calls_find_what_is_above_them(void)
{
	struct profile profile;
	struct analysis_data data;
	/* Nodes 1 to 7. */
	const node_id leaf = read_stack(&profile, "p;a;a;b;a;b;b 1\n");

	analysis_data_init(&data, &profile);
	const struct recursion found = data.recursion;

	CU_ASSERT_EQUAL_FATAL(leaf, 7);
	CU_ASSERT_EQUAL(found.same[7], 6);
	CU_ASSERT_EQUAL(found.same[6], 4);
	CU_ASSERT_EQUAL(found.same[5], 3);
	CU_ASSERT_EQUAL(found.same[2], CTREE_ROOT);
	CU_ASSERT_EQUAL(found.other[7], 5);
	CU_ASSERT_EQUAL(found.other[3], 1);
	CU_ASSERT_EQUAL(found.other[1], CTREE_ROOT);
	CU_ASSERT_EQUAL(found.top[7], 1);
	CU_ASSERT_EQUAL(found.top[1], 1);
	/* Of a by b, it is once more above; of b by b it is not. */
	CU_ASSERT_TRUE(found.call[6]);
	CU_ASSERT_FALSE(found.call[5]);
	CU_ASSERT_FALSE(found.call[7]);
	analysis_data_release(&data);
	profile_release(&profile);
}

void
suite_analysis_data(void)
{
	static const struct unit_case cases[] = {
		{"callees_are_ranked", callees_are_ranked},
		{"mutual_recursion_does_not_inflate_callees",
			mutual_recursion_does_not_inflate_callees},
		{"calls_find_what_is_above_them", calls_find_what_is_above_them},
		{0},
	};

	unit_suite("analysis/data", cases);
}
