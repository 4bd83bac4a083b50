#include "analysis/data.h"

#include "profile/folded.h"
#include "unit.h"

void suite_analysis_recursion(void);

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
	struct recursion found;
	/* Nodes 1 to 7. */
	const node_id leaf = read_stack(&profile, "p;a;a;b;a;b;b 1\n");

	recursion_init(&found, &profile);
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
	recursion_release(&found);
	profile_release(&profile);
}

void
suite_analysis_recursion(void)
{
	static const struct unit_case cases[] = {
		{"calls_find_what_is_above_them", calls_find_what_is_above_them},
		{NULL, NULL},
	};

	unit_suite("analysis/recursion", cases);
}
