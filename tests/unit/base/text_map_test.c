#include "base/text_map.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

void suite_base_text_map(void);

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
suite_base_text_map(void)
{
	static const struct unit_case cases[] = {
		{"texts_are_found_after_growth", texts_are_found_after_growth},
		{"keys_asked_for_together_are_found_as_alone",
			keys_asked_for_together_are_found_as_alone},
		{"an_entry_starts_what_begins_with_its_text",
			an_entry_starts_what_begins_with_its_text},
		{NULL, NULL},
	};

	unit_suite("base/text_map", cases);
}
