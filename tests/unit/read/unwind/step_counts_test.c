#include "unwind/unwind_internal.h"

#include "unit.h"

void suite_unwind_step_counts(void);

#define TABLES 200

static void
test_counts(void)
{
	/* Tables are distinguished by their addresses, and nothing of them is read. */
	static char places[TABLES];
	struct step_counts counts = {0};

	for (size_t round = 0; round < 2; round++)
		for (size_t i = 0; i < TABLES; i++) {
			const void *table = &places[i];

			step_counts_of(&counts, table)->steps += i + 1;
			step_counts_of(&counts, table)->alike += round;
		}
	for (size_t i = 0; i < TABLES; i++) {
		const void *table = &places[i];
		struct step_count count = step_counts_get(&counts, table);

		CU_ASSERT_EQUAL(count.steps, 2 * (i + 1));
		CU_ASSERT_EQUAL(count.alike, 1);
	}
	CU_ASSERT_EQUAL(counts.by_table.count, TABLES);
	step_counts_release(&counts);
}

static void
test_unknown(void)
{
	static char place;
	const void *table = &place;
	struct step_counts counts = {0};

	struct step_count count = step_counts_get(&counts, table);

	CU_ASSERT_EQUAL(count.steps, 0);
	CU_ASSERT_EQUAL(count.alike, 0);
	CU_ASSERT_EQUAL(counts.by_table.count, 0);
	step_counts_release(&counts);
}

void
suite_unwind_step_counts(void)
{
	static const struct unit_case cases[] = {
		{"each_table_has_its_own_counts", test_counts},
		{"a_table_that_was_not_met_has_none", test_unknown},
		{0},
	};

	unit_suite("unwind/step_counts", cases);
}
