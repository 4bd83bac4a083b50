#include "symbols/symbols_internal.h"

#include "base/buf.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

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
				   "0x7f0000002000 0x20 int Spin.fib(int)\n"
				   "nonsense\n"
				   "7f0000003000 0 empty\n"
				   "7f0000004000 10\n"
				   "7f0000005000 10 unterminated";
	struct symtab tab;

	tab = (struct symtab){0};
	jit_map_parse(&tab, text, strlen(text));
	CU_ASSERT_EQUAL(tab.count, 3);
	UNIT_STR_EQ(name_at(&tab, UINT64_C(0x7f000000103f)), "LazyCompile:~f a.js:1");
	UNIT_STR_EQ(name_at(&tab, UINT64_C(0x7f0000001040)), "");
	UNIT_STR_EQ(name_at(&tab, UINT64_C(0x7f0000002000)), "int Spin.fib(int)");
	UNIT_STR_EQ(name_at(&tab, UINT64_C(0x7f0000005000)), "unterminated");
	symtab_release(&tab);
}

static void
test_long(void)
{
	struct symtab tab = {0};
	struct buf text = {0};

	buf_puts(&text, "1000 100 ");
	for (size_t i = 0; i < JIT_NAME_BYTES_MAX + 10; i++)
		buf_putc(&text, 'x');
	buf_puts(&text, "\n1100 100 next\n");
	jit_map_parse(&tab, buf_text(&text), text.len);
	CU_ASSERT_EQUAL(strlen(name_at(&tab, 0x1000)), JIT_NAME_BYTES_MAX);
	UNIT_STR_EQ(name_at(&tab, 0x1100), "next");
	symtab_release(&tab);
	buf_release(&text);
}

static void
test_last_wins(void)
{
	static const char text[] = "1000 100 old\n"
				   "1200 100 beside\n"
				   "1040 20 inner\n"
				   "10f0 120 over both\n"
				   "1050 8 innermost\n"
				   "1050 8 innermost again\n"
				   "fffffffffffffff0 ff at the end\n";
	struct symtab tab;

	tab = (struct symtab){0};
	jit_map_parse(&tab, text, strlen(text));
	UNIT_STR_EQ(name_at(&tab, 0x1000), "old");
	UNIT_STR_EQ(name_at(&tab, 0x103f), "old");
	UNIT_STR_EQ(name_at(&tab, 0x1040), "inner");
	UNIT_STR_EQ(name_at(&tab, 0x1050), "innermost again");
	UNIT_STR_EQ(name_at(&tab, 0x1058), "inner");
	UNIT_STR_EQ(name_at(&tab, 0x1060), "old");
	UNIT_STR_EQ(name_at(&tab, 0x10f0), "over both");
	UNIT_STR_EQ(name_at(&tab, 0x120f), "over both");
	UNIT_STR_EQ(name_at(&tab, 0x1210), "beside");
	UNIT_STR_EQ(name_at(&tab, 0x1300), "");
	UNIT_STR_EQ(name_at(&tab, UINT64_MAX - 1), "at the end");
	symtab_release(&tab);
}

/* Many lines, against the plain rule: the last one that covers an address. */
static void
test_against_the_rule(void)
{
	enum { LINES = 400, SPACE = 1000 };
	uint64_t starts[LINES];
	uint64_t sizes[LINES];
	uint32_t state = 1;
	struct symtab tab;
	struct buf text = {0};

	tab = (struct symtab){0};
	for (int i = 0; i < LINES; i++) {
		state = state * 1664525 + 1013904223;
		starts[i] = state >> 8 & 1023;
		state = state * 1664525 + 1013904223;
		sizes[i] = (state >> 20 & 63) + 1;
		buf_printf(&text, "%x %x f%d\n", (unsigned)starts[i], (unsigned)sizes[i], i);
	}
	jit_map_parse(&tab, buf_text(&text), text.len);
	for (uint64_t at = 0; at < SPACE; at++) {
		char expected[16] = "";

		for (int i = 0; i < LINES; i++)
			if (at >= starts[i] && at - starts[i] < sizes[i])
				snprintf(expected, sizeof(expected), "f%d", i);
		UNIT_STR_EQ(name_at(&tab, at), expected);
	}
	symtab_release(&tab);
	buf_release(&text);
}

static const struct unit_case cases[] = {
	{"long_names_are_cut", test_long},
	{"names_with_spaces_are_read_and_other_lines_left_out", test_lines},
	{"the_last_line_about_an_address_holds", test_last_wins},
	{"pieces_follow_the_rule_at_every_address", test_against_the_rule},
	{NULL, NULL},
};

void
suite_symbols_jit_map(void)
{
	unit_suite("symbols/jit_map", cases);
}
