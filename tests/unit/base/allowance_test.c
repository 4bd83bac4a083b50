#include "base/allowance.h"

#include "unit.h"

void suite_base_allowance(void);

static void
what_was_refused_once_stays_refused(void)
{
	struct allowance allowance = allowance_of(10, 5, 4);

	CU_ASSERT_EQUAL(allowance.left, 30);
	CU_ASSERT_TRUE(allowance_take(&allowance, 30));
	CU_ASSERT_TRUE(allowance_take(&allowance, 0));
	allowance_add(&allowance, 5);
	CU_ASSERT_FALSE(allowance_take(&allowance, 6));
	CU_ASSERT_FALSE(allowance_take(&allowance, 1));
	CU_ASSERT_TRUE(allowance_is_used(&allowance));
}

static void
nothing_wraps_round(void)
{
	struct allowance allowance = allowance_of(10, UINT64_MAX / 2, 4);

	CU_ASSERT_EQUAL(allowance.left, UINT64_MAX);
	allowance_add(&allowance, 1);
	CU_ASSERT_EQUAL(allowance.left, UINT64_MAX);
}

void
suite_base_allowance(void)
{
	static const struct unit_case cases[] = {
		{"what_was_refused_once_stays_refused", what_was_refused_once_stays_refused},
		{"nothing_wraps_round", nothing_wraps_round},
		{NULL, NULL},
	};

	unit_suite("base/allowance", cases);
}
