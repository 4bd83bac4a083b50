#include "base/key_map.h"

#include "unit.h"

void suite_base_key_map(void);

static void
keys_are_numbered_in_the_order_they_came(void)
{
	struct key_map map = {0};

	CU_ASSERT_EQUAL(key_map_find(&map, 0), KEY_MAP_NONE);
	for (uint32_t i = 0; i < 3000; i++)
		CU_ASSERT_EQUAL(key_map_add(&map, key_of_pair(i % 3, i)), i);
	for (uint32_t i = 0; i < 3000; i++) {
		CU_ASSERT_EQUAL(key_map_add(&map, key_of_pair(i % 3, i)), i);
		CU_ASSERT_EQUAL(key_map_find(&map, key_of_pair(i % 3, i)), i);
	}
	CU_ASSERT_EQUAL(map.count, 3000);
	CU_ASSERT_EQUAL(key_map_find(&map, key_of_pair(1, 3)), KEY_MAP_NONE);
	key_map_release(&map);
	CU_ASSERT_EQUAL(key_map_add(&map, UINT64_MAX), 0);
	key_map_release(&map);
}

void
suite_base_key_map(void)
{
	static const struct unit_case cases[] = {
		{"keys_are_numbered_in_the_order_they_came",
			keys_are_numbered_in_the_order_they_came},
		{0},
	};

	unit_suite("base/key_map", cases);
}
