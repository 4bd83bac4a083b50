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

void
suite_analysis_data(void)
{
	static const struct unit_case cases[] = {
		{"callees_are_ranked", callees_are_ranked},
		{"mutual_recursion_does_not_inflate_callees",
			mutual_recursion_does_not_inflate_callees},
		{0},
	};

	unit_suite("analysis/data", cases);
}
