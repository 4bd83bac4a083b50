#include "ingest/pair_map.h"
#include "unit.h"

void suite_ingest_pair_map(void);

static void
numbers_count_from_0_and_stay(void)
{
	struct pair_map map = {0};

	for (uint32_t i = 0; i < 1000; i++)
		CU_ASSERT_EQUAL(pair_map_add(&map, i / 10, i % 10), i);
	for (uint32_t i = 0; i < 1000; i++)
		CU_ASSERT_EQUAL(pair_map_add(&map, i / 10, i % 10), i);
	CU_ASSERT_EQUAL(map.nentries, 1000);
	pair_map_release(&map);
}

static void
the_order_of_a_pair_counts(void)
{
	struct pair_map map = {0};

	CU_ASSERT_EQUAL(pair_map_add(&map, 0, 0), 0);
	CU_ASSERT_EQUAL(pair_map_add(&map, 1, 2), 1);
	CU_ASSERT_EQUAL(pair_map_add(&map, 2, 1), 2);
	CU_ASSERT_EQUAL(pair_map_add(&map, UINT32_MAX, UINT32_MAX), 3);
	CU_ASSERT_EQUAL(pair_map_add(&map, 0, 0), 0);
	pair_map_release(&map);
}

void
suite_ingest_pair_map(void)
{
	static const struct unit_case cases[] = {
		{"numbers_count_from_0_and_stay", numbers_count_from_0_and_stay},
		{"the_order_of_a_pair_counts", the_order_of_a_pair_counts},
		{NULL, NULL},
	};

	unit_suite("ingest/pair_map", cases);
}
