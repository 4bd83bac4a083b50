#include "base/map.h"

#include "base/hash.h"
#include "unit.h"

#include <stdint.h>

void suite_base_map(void);

/* The id among squares[count] of `square`; -1 if it is not there. */
static int
find_square(const struct map *map, const uint64_t *squares, uint64_t square)
{
	for (struct map_search search = map_search(map, hash_u64(square)); map_next(&search);)
		if (squares[search.id] == square)
			return (int)search.id;
	return -1;
}

static void
nothing_is_in_an_empty_map(void)
{
	struct map map = {0};
	struct map_search search = map_search(&map, 7);

	CU_ASSERT_FALSE(map_next(&search));
	map_prefetch(&map, 7);
	map_release(&map);
}

static void
ids_are_found_after_growth(void)
{
	enum { COUNT = 5000 };
	static uint64_t squares[COUNT];
	struct map map = {0};

	for (uint64_t i = 0; i < COUNT; i++) {
		squares[i] = i * i;
		CU_ASSERT_EQUAL(find_square(&map, squares, i * i), -1);
		map_add(&map, hash_u64(i * i), (uint32_t)i);
	}
	CU_ASSERT_EQUAL(map.count, COUNT);
	CU_ASSERT(map.nslots >= 2 * map.count);
	for (uint64_t i = 0; i < COUNT; i++)
		CU_ASSERT_EQUAL(find_square(&map, squares, i * i), (int)i);
	CU_ASSERT_EQUAL(find_square(&map, squares, 3), -1);
	map_release(&map);
}

static void
all_of_one_hash_are_gone_through(void)
{
	struct map map = {0};
	uint64_t all_bits = UINT64_MAX; /* its place is the last one: the search goes round */
	unsigned found = 0;

	for (uint32_t id = 0; id < 20; id++)
		map_add(&map, all_bits, id);
	map_add(&map, 0, 20);
	for (struct map_search search = map_search(&map, all_bits); map_next(&search);)
		found |= 1u << search.id;
	CU_ASSERT_EQUAL(found, (1u << 20) - 1);
	map_release(&map);
}

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
suite_base_map(void)
{
	static const struct unit_case cases[] = {
		{"nothing_is_in_an_empty_map", nothing_is_in_an_empty_map},
		{"ids_are_found_after_growth", ids_are_found_after_growth},
		{"all_of_one_hash_are_gone_through", all_of_one_hash_are_gone_through},
		{"keys_are_numbered_in_the_order_they_came",
			keys_are_numbered_in_the_order_they_came},
		{0},
	};

	unit_suite("base/map", cases);
}
