#include "base/strtab.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

void suite_base_strtab(void);

static void
interned_strings_keep_their_ids_through_growth(void)
{
	struct strtab tab;
	str_id ids[5000];
	char text[32];

	strtab_init(&tab);
	CU_ASSERT_EQUAL(strtab_intern_str(&tab, ""), 0);
	for (int i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "name %d", i);
		ids[i] = strtab_intern_str(&tab, text);
	}
	for (int i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "name %d", i);
		CU_ASSERT_EQUAL(strtab_intern_str(&tab, text), ids[i]);
		CU_ASSERT_EQUAL(strtab_find(&tab, text, strlen(text)), ids[i]);
		UNIT_STR_EQ(strtab_str(&tab, ids[i]), text);
	}
	CU_ASSERT_EQUAL(tab.nentries, 5001);
	CU_ASSERT_EQUAL(strtab_find(&tab, "absent", 6), 0);
	strtab_release(&tab);
}

static void
interned_strings_may_hold_any_byte(void)
{
	struct strtab tab;

	strtab_init(&tab);
	str_id a = strtab_intern(&tab, "a\0b", 3);
	str_id b = strtab_intern(&tab, "a\0c", 3);

	CU_ASSERT_NOT_EQUAL(a, b);
	CU_ASSERT_NOT_EQUAL(a, strtab_intern_str(&tab, "a"));
	CU_ASSERT_EQUAL(strtab_len(&tab, a), 3);
	strtab_release(&tab);
}

void
suite_base_strtab(void)
{
	static const struct unit_case cases[] = {
		{"interned_strings_keep_their_ids_through_growth",
			interned_strings_keep_their_ids_through_growth},
		{"interned_strings_may_hold_any_byte", interned_strings_may_hold_any_byte},
		{NULL, NULL},
	};

	unit_suite("base/strtab", cases);
}
