#include "elf/symtab.h"

#include "unit.h"

void suite_elf_symtab(void);

/* The name found at `address`; "" if none. */
static const char *
name_at(struct symtab *tab, uint64_t address)
{
	struct symtab_entry *entry = symtab_find(tab, address);

	return entry ? symtab_name(tab, entry) : "";
}

static void
test_bounds(void)
{
	struct symtab tab;

	tab = (struct symtab){0};
	symtab_add(&tab, 0x200, 0x10, BINDING_GLOBAL, "second", true);
	symtab_add(&tab, 0x100, 0x10, BINDING_GLOBAL, "first", true);
	symtab_finish(&tab, false);
	UNIT_STR_EQ(name_at(&tab, 0xff), "");
	UNIT_STR_EQ(name_at(&tab, 0x100), "first");
	UNIT_STR_EQ(name_at(&tab, 0x10f), "first");
	UNIT_STR_EQ(name_at(&tab, 0x110), "");
	UNIT_STR_EQ(name_at(&tab, 0x20f), "second");
	UNIT_STR_EQ(name_at(&tab, UINT64_MAX), "");
	symtab_release(&tab);
}

/* Adds two names for one address, in both orders, and expects `winner`. */
static void
expect_alias(struct symtab_entry a, struct symtab_entry b, const char *winner)
{
	for (int swap = 0; swap < 2; swap++) {
		struct symtab tab;
		const struct symtab_entry *one = swap ? &b : &a;
		const struct symtab_entry *other = swap ? &a : &b;

		tab = (struct symtab){0};
		symtab_add(&tab, 0x100, one->end, one->binding, one->name, true);
		symtab_add(&tab, 0x100, other->end, other->binding, other->name, true);
		symtab_finish(&tab, false);
		UNIT_STR_EQ(name_at(&tab, 0x100), winner);
		CU_ASSERT_EQUAL(tab.count, 1);
		symtab_release(&tab);
	}
}

static void
test_aliases(void)
{
	struct symtab_entry global = {.end = 8, .binding = BINDING_GLOBAL, .name = "global"};
	struct symtab_entry weak = {.end = 8, .binding = BINDING_WEAK, .name = "weak_longer"};
	struct symtab_entry local = {.end = 8, .binding = BINDING_LOCAL, .name = "local_longer"};
	struct symtab_entry under = {.end = 8, .binding = BINDING_GLOBAL, .name = "__global_long"};
	struct symtab_entry longer = {.end = 8, .binding = BINDING_GLOBAL, .name = "global_long"};

	expect_alias(local, weak, "local_longer");
	expect_alias(global, local, "global");
	expect_alias(global, under, "global");
	expect_alias(global, longer, "global_long");
}

static void
test_sizeless(void)
{
	struct symtab tab;

	tab = (struct symtab){0};
	symtab_add(&tab, 0x100, 0, BINDING_LOCAL, "label", true);
	symtab_add(&tab, 0x180, 0x10, BINDING_LOCAL, "next", true);
	symtab_add(&tab, 0x1f10, 0, BINDING_LOCAL, "last", true);
	symtab_finish(&tab, false);
	UNIT_STR_EQ(name_at(&tab, 0x17f), "label");
	UNIT_STR_EQ(name_at(&tab, 0x190), "");
	UNIT_STR_EQ(name_at(&tab, 0x2fff), "last");
	UNIT_STR_EQ(name_at(&tab, 0x3000), "");
	symtab_release(&tab);
}

static void
test_nested(void)
{
	struct symtab tab;

	tab = (struct symtab){0};
	symtab_add(&tab, 0x100, 0x100, BINDING_LOCAL, "outer", true);
	symtab_add(&tab, 0x140, 0x10, BINDING_LOCAL, "inner", true);
	symtab_add(&tab, 0x400, 0x10, BINDING_LOCAL, "far", true);
	symtab_finish(&tab, false);
	UNIT_STR_EQ(name_at(&tab, 0x13f), "outer");
	UNIT_STR_EQ(name_at(&tab, 0x148), "inner");
	UNIT_STR_EQ(name_at(&tab, 0x1f0), "outer");
	UNIT_STR_EQ(name_at(&tab, 0x300), "");
	symtab_release(&tab);
}

static void
test_overflow(void)
{
	struct symtab tab;

	tab = (struct symtab){0};
	symtab_add(&tab, UINT64_MAX - 4, 100, BINDING_LOCAL, "high", true);
	symtab_finish(&tab, false);
	UNIT_STR_EQ(name_at(&tab, UINT64_MAX - 1), "high");
	UNIT_STR_EQ(name_at(&tab, 50), "");
	symtab_release(&tab);
	/* Without a size it would reach behind the next page. */
	symtab_add(&tab, UINT64_MAX - 4, 0, BINDING_LOCAL, "high", true);
	symtab_finish(&tab, false);
	UNIT_STR_EQ(name_at(&tab, UINT64_MAX - 4), "high");
	UNIT_STR_EQ(name_at(&tab, 50), "");
	symtab_release(&tab);
}

/* Each within the one before. */
static void
test_staircase(void)
{
	static const char *const names[] = {"0", "1", "2", "3", "4", "5", "6", "7"};
	struct symtab tab;

	tab = (struct symtab){0};
	for (uint64_t i = 0; i < 8; i++)
		symtab_add(&tab, i, 20 - 2 * i, BINDING_LOCAL, names[i], true);
	/* Ends where an outer one does. */
	symtab_add(&tab, 10, 8, BINDING_LOCAL, "same end", true);
	symtab_finish(&tab, false);
	for (uint64_t i = 0; i < 8; i++)
		UNIT_STR_EQ(name_at(&tab, i), names[i]);
	UNIT_STR_EQ(name_at(&tab, 9), "7");
	UNIT_STR_EQ(name_at(&tab, 10), "same end");
	UNIT_STR_EQ(name_at(&tab, 17), "same end");
	UNIT_STR_EQ(name_at(&tab, 18), "1");
	UNIT_STR_EQ(name_at(&tab, 19), "0");
	UNIT_STR_EQ(name_at(&tab, 20), "");
	symtab_release(&tab);
}

#define STEP UINT64_C(0x100)

/* Adds symbol `i` of many: its label says whether its number is odd. */
static void
add_numbered(struct symtab *tab, uint64_t i)
{
	symtab_add(tab, i * STEP, STEP, BINDING_GLOBAL, "numbered", true)->label = i % 2 != 0;
}

static void
expect_numbered(const struct symtab *tab, uint64_t count)
{
	CU_ASSERT_EQUAL_FATAL(tab->count, count);
	for (uint64_t i = 0; i < count; i++) {
		CU_ASSERT_EQUAL(tab->entries[i].start, i * STEP);
		CU_ASSERT_EQUAL(tab->entries[i].end, (i + 1) * STEP);
		CU_ASSERT_EQUAL(tab->entries[i].label, i % 2 != 0);
		CU_ASSERT_EQUAL(tab->pieces[i].start, i * STEP);
		CU_ASSERT_EQUAL(tab->pieces[i].entry, i + 1);
	}
}

static void
test_any_order(void)
{
	enum { COUNT = 3000 };
	struct symtab tab;

	tab = (struct symtab){0};
	symtab_reserve(&tab, 100);
	/* 7 divides no power of 10: each number comes once. */
	for (uint64_t i = 0; i < COUNT; i++)
		add_numbered(&tab, (COUNT - i) * 7 % COUNT);
	symtab_finish(&tab, false);
	expect_numbered(&tab, COUNT);
	symtab_release(&tab);
}

static void
test_added_later(void)
{
	enum { COUNT = 3000 };
	struct symtab tab;

	tab = (struct symtab){0};
	for (uint64_t i = 0; i < COUNT; i++)
		if (i % 5 != 0)
			add_numbered(&tab, i);
	symtab_finish(&tab, false);
	for (uint64_t i = COUNT; i-- > 0;)
		if (i % 5 == 0)
			add_numbered(&tab, i);
	symtab_index(&tab);
	expect_numbered(&tab, COUNT);
	symtab_release(&tab);
}

static void
test_same_start_added_later(void)
{
	struct symtab tab;

	tab = (struct symtab){0};
	for (unsigned i = 0; i < 10; i++)
		add_numbered(&tab, i);
	symtab_finish(&tab, false);
	symtab_add(&tab, 5 * STEP, 1, BINDING_GLOBAL, "second", true);
	symtab_add(&tab, 5 * STEP, 2, BINDING_GLOBAL, "third", true);
	symtab_add(&tab, 2 * STEP, 1, BINDING_GLOBAL, "another", true);
	symtab_index(&tab);
	UNIT_STR_EQ(tab.entries[6].name, "numbered");
	UNIT_STR_EQ(tab.entries[7].name, "second");
	UNIT_STR_EQ(tab.entries[8].name, "third");
	UNIT_STR_EQ(name_at(&tab, 5 * STEP), "third");
	UNIT_STR_EQ(name_at(&tab, 5 * STEP + 2), "numbered");
	symtab_release(&tab);
}

void
suite_elf_symtab(void)
{
	static const struct unit_case cases[] = {
		{"a_symbol_covers_its_bytes_and_no_more", test_bounds},
		{"among_aliases_the_choice_is_perfs_in_any_order", test_aliases},
		{"symbols_without_size_reach_to_the_next", test_sizeless},
		{"the_innermost_symbol_wins", test_nested},
		{"symbols_may_be_within_one_another_any_number_deep", test_staircase},
		{"a_size_beyond_the_end_of_memory_is_cut", test_overflow},
		{"symbols_come_in_any_order", test_any_order},
		{"symbols_added_later_are_sorted_in", test_added_later},
		{"those_of_one_start_stay_in_their_order", test_same_start_added_later},
		{NULL, NULL},
	};

	unit_suite("elf/symtab", cases);
}
