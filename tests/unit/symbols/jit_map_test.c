#include "symbols/jit_map.h"

#include "unit.h"

void suite_symbols_jit_map(void);

static const char *
name_at(struct symtab *tab, uint64_t address)
{
	const struct symtab_entry *entry = symtab_find(tab, address);

	return entry ? entry->name : "";
}

static void
test_lines(void)
{
	static const char text[] = "7f0000001000 40 LazyCompile:~f a.js:1\n"
				   "0x7f0000002000 20 second\n"
				   "nonsense\n"
				   "7f0000003000 0 empty\n"
				   "7f0000004000 10\n"
				   "7f0000005000 10 unterminated";
	struct symtab tab;

	symtab_init(&tab);
	jit_map_parse(&tab, text, strlen(text));
	CU_ASSERT_EQUAL(tab.count, 3);
	UNIT_STR_EQ(name_at(&tab, UINT64_C(0x7f000000103f)), "LazyCompile:~f a.js:1");
	UNIT_STR_EQ(name_at(&tab, UINT64_C(0x7f0000001040)), "");
	UNIT_STR_EQ(name_at(&tab, UINT64_C(0x7f0000002000)), "second");
	UNIT_STR_EQ(name_at(&tab, UINT64_C(0x7f0000005000)), "unterminated");
	symtab_release(&tab);
}

void
suite_symbols_jit_map(void)
{
	static const struct unit_case cases[] = {
		{"names_with_spaces_are_read_and_other_lines_left_out", test_lines},
		{NULL, NULL},
	};

	unit_suite("symbols/jit_map", cases);
}
