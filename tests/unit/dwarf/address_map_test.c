/* Numbers by the addresses of the elements of an array. */
#include "dwarf/address_map.h"

#include "unit.h"

void suite_dwarf_address_map(void);

#define COUNT 5000

static void
test_growth(void)
{
	static char things[COUNT];
	static char strangers[COUNT];
	struct address_map map = {0};

	CU_ASSERT_EQUAL(address_map_find(&map, things), 0);
	for (uint32_t i = 0; i < COUNT; i++)
		address_map_add(&map, &things[i], i + 1);
	for (uint32_t i = 0; i < COUNT; i++) {
		CU_ASSERT_EQUAL(address_map_find(&map, &things[i]), i + 1);
		CU_ASSERT_EQUAL(address_map_find(&map, &strangers[i]), 0);
	}
	CU_ASSERT_EQUAL(map.count, COUNT);
	address_map_release(&map);
	CU_ASSERT_EQUAL(address_map_find(&map, things), 0);
}

void
suite_dwarf_address_map(void)
{
	static const struct unit_case cases[] = {
		{"numbers_survive_growth_and_strangers_have_none", test_growth},
		{NULL, NULL},
	};

	unit_suite("dwarf/address_map", cases);
}
