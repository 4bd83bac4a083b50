#include "unwind/unwind_internal.h"

#include "unit.h"

void suite_unwind_saved_registers(void);

static uint32_t
intern(struct saves *saves, int32_t value)
{
	struct unwind_rule rules[] = {
		{.reg = 3, .kind = UNWIND_AT_CFA, .value = value},
		{.reg = 16, .kind = UNWIND_AT_CFA, .value = -8},
	};
	struct saves_key key = {.kept = 0x40, .rules = rules, .nrules = 2};

	return saves_intern(saves, &key);
}

static void
test_same(void)
{
	struct saves saves;

	saves = (struct saves){.limit_bytes = SIZE_MAX};
	uint32_t first = intern(&saves, -16);
	struct saves_key other = {.kept = 0x41};

	CU_ASSERT_EQUAL(intern(&saves, -16), first);
	CU_ASSERT_NOT_EQUAL(intern(&saves, -24), first);
	CU_ASSERT_NOT_EQUAL(saves_intern(&saves, &other), first);
	const struct unwind_saves *set = saves_get(&saves, first);

	CU_ASSERT_EQUAL(set->nrules, 2);
	CU_ASSERT_TRUE(set->all_at_cfa);
	CU_ASSERT_EQUAL(set->lowest, -16);
	CU_ASSERT_EQUAL(set->highest, -8);
	CU_ASSERT_EQUAL(set->kept, 0x40);
	saves_release(&saves);
}

static void
test_growth(void)
{
	struct saves saves;
	const struct unwind_saves *first;

	saves = (struct saves){.limit_bytes = SIZE_MAX};
	first = saves_get(&saves, intern(&saves, 0));
	for (int32_t i = 1; i < 10000; i++)
		CU_ASSERT_EQUAL(intern(&saves, i * 8), (uint32_t)i);
	for (int32_t i = 0; i < 10000; i++)
		CU_ASSERT_EQUAL(saves_get(&saves, (uint32_t)i)->rules[0].value, i * 8);
	CU_ASSERT_EQUAL(intern(&saves, 8 * 777), 777);
	CU_ASSERT_PTR_EQUAL(saves_get(&saves, 0), first);
	saves_release(&saves);
}

static void
test_limit(void)
{
	struct saves saves;

	saves = (struct saves){.limit_bytes = 1000};
	for (int32_t i = 0; i < 100; i++)
		(void)intern(&saves, i);
	CU_ASSERT_EQUAL(intern(&saves, 1000), SAVES_FULL);
	CU_ASSERT_EQUAL(intern(&saves, 3), 3);
	saves_release(&saves);
}

void
suite_unwind_saved_registers(void)
{
	static const struct unit_case cases[] = {
		{"equal_sets_are_one", test_same},
		{"sets_stay_where_they_are", test_growth},
		{"there_are_no_more_than_may_be", test_limit},
		{0},
	};

	unit_suite("unwind/saved_registers", cases);
}
