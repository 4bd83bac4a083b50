#include "unit.h"

#include "spec/suggest.h"

void suite_spec_suggest(void);

static void
distance_counts_edits_and_swaps(void)
{
	CU_ASSERT_EQUAL(suggest_distance("runs", "runs"), 0);
	CU_ASSERT_EQUAL(suggest_distance("Runs", "runs"), 0);
	CU_ASSERT_EQUAL(suggest_distance("frequncy", "frequency"), 1);
	CU_ASSERT_EQUAL(suggest_distance("functoin", "function"), 1);
	CU_ASSERT_EQUAL(suggest_distance("kitten", "sitting"), 3);
	CU_ASSERT_EQUAL(suggest_distance("", "abc"), 3);
}

static void
only_what_is_near_is_suggested(void)
{
	static const char *const names[] = {"of", "frequency", "runs", "run"};

	UNIT_STR_EQ(suggest_nearest("freqency", names, 4), "frequency");
	UNIT_STR_EQ(suggest_nearest("rnu", names, 4), "run");
	CU_ASSERT_PTR_NULL(suggest_nearest("xyzzy", names, 4));
	CU_ASSERT_PTR_NULL(suggest_nearest("q", names, 4));
	CU_ASSERT_PTR_NULL(suggest_nearest("", names, 4));
	CU_ASSERT_PTR_NULL(suggest_nearest("runs", NULL, 0));
}

void
suite_spec_suggest(void)
{
	static const struct unit_case cases[] = {
		{"distance_counts_edits_and_swaps", distance_counts_edits_and_swaps},
		{"only_what_is_near_is_suggested", only_what_is_near_is_suggested},
		{NULL, NULL},
	};

	unit_suite("spec/suggest", cases);
}
