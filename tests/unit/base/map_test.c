#include "base/map.h"

#include "base/hash.h"
#include "unit.h"

#include <stdio.h>

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

static void
texts_are_found_after_growth(void)
{
	struct text_map map = {0};
	char text[64];

	for (uint32_t i = 0; i < 5000; i++) {
		int len = snprintf(text, sizeof(text), "%.*s%u", (int)(i % 40),
			"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz", i);

		CU_ASSERT_PTR_NULL(text_map_find(&map, text, (size_t)len));
		CU_ASSERT_EQUAL(text_map_add(&map, text, (size_t)len, i)->value, i);
	}
	for (uint32_t i = 0; i < 5000; i++) {
		int len = snprintf(text, sizeof(text), "%.*s%u", (int)(i % 40),
			"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz", i);
		const struct text_entry *entry = text_map_find(&map, text, (size_t)len);

		CU_ASSERT_PTR_NOT_NULL_FATAL(entry);
		CU_ASSERT_EQUAL(entry->value, i);
		CU_ASSERT_PTR_NULL(entry->next);
	}
	CU_ASSERT(text_map_bytes(&map) > 5000 * sizeof(struct text_entry));
	text_map_release(&map);
	CU_ASSERT_PTR_NULL(text_map_find(&map, "0", 1));
	text_map_release(&map);
}

static void
keys_asked_for_together_are_found_as_alone(void)
{
	struct text_map map = {0};
	struct text_key keys[] = {{.text = "main", .len = 4}, {.text = "", .len = 0},
		{.text = "mainly", .len = 6}, {.text = "main", .len = 4}};
	char text[16];

	text_map_add(&map, "main", 4, 1);
	for (int i = 0; i < 4; i++)
		text_map_prefetch_slot(&map, &keys[i]);
	for (int i = 0; i < 4; i++)
		text_map_prefetch_entry(&map, &keys[i]);
	/* The slots may move in between. */
	for (uint32_t i = 0; i < 5000; i++)
		text_map_add(&map, text, (size_t)snprintf(text, sizeof(text), "%u", i), i);
	for (int i = 0; i < 4; i++)
		CU_ASSERT_PTR_EQUAL(text_map_find_key(&map, &keys[i]),
			text_map_find(&map, keys[i].text, keys[i].len));
	CU_ASSERT_PTR_NOT_NULL(text_map_find_key(&map, &keys[3]));
	CU_ASSERT_PTR_NULL(text_map_find_key(&map, &keys[2]));
	text_map_release(&map);
}

/* All lengths, and a difference at each place. */
static void
an_entry_starts_what_begins_with_its_text(void)
{
	static const char text[] = "0123456789abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOP";
	struct text_map map = {0};

	for (size_t len = 0; len < sizeof(text) - 1; len++) {
		const struct text_entry *entry = text_map_add(&map, text, len, 0);
		char other[sizeof(text)];

		CU_ASSERT(text_entry_starts(entry, text, len));
		CU_ASSERT(text_entry_starts(entry, text, len + 1));
		CU_ASSERT(len == 0 || !text_entry_starts(entry, text, len - 1));
		for (size_t at = 0; at < len; at++) {
			memcpy(other, text, sizeof(text));
			other[at] ^= 1;
			CU_ASSERT_FALSE(text_entry_starts(entry, other, len));
		}
	}
	text_map_release(&map);
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
		{"texts_are_found_after_growth", texts_are_found_after_growth},
		{"keys_asked_for_together_are_found_as_alone",
			keys_asked_for_together_are_found_as_alone},
		{"an_entry_starts_what_begins_with_its_text",
			an_entry_starts_what_begins_with_its_text},
		{0},
	};

	unit_suite("base/map", cases);
}
