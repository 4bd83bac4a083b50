
#include "dwarf/abbrevs.h"

#include "unit.h"

#include <dwarf.h>

void suite_dwarf_abbrevs(void);

static const struct abbrev_format dwarf4 = {.version = 4, .address_bytes = 8, .offset_bytes = 4};

static struct cursor
cursor_on(const unsigned char *bytes, size_t len)
{
	return (struct cursor){bytes, bytes + len, false};
}

/* The abbreviation of a code that there is. */
static const struct abbrev *
known(const struct abbrevs *abbrevs, uint64_t code)
{
	static const struct abbrev none;
	const struct abbrev *abbrev = abbrevs_find(abbrevs, code);

	CU_ASSERT_PTR_NOT_NULL_FATAL(abbrev);
	return abbrev ? abbrev : &none;
}

static const unsigned char two_kinds[] = {
	/* 1: a function with a name, a sibling and code */
	1, DW_TAG_subprogram, 1, DW_AT_decl_line, DW_FORM_data2, DW_AT_sibling, DW_FORM_ref4,
	DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, 0, 0,
	/* 2: a declaration, which says so without any byte */
	2, DW_TAG_subprogram, 0, DW_AT_declaration, DW_FORM_flag_present, 0, 0,
	/* the end, and what is another table's */
	0, 3, DW_TAG_variable, 0, 0, 0};

static void
test_table(void)
{
	struct cursor cursor = cursor_on(two_kinds, sizeof(two_kinds));
	struct abbrevs abbrevs;

	CU_ASSERT(abbrevs_read(&abbrevs, &dwarf4, &cursor, 0));
	CU_ASSERT_EQUAL(cursor_left(&cursor), 5);
	CU_ASSERT_EQUAL_FATAL(abbrevs.count, 2);

	const struct abbrev *function = known(&abbrevs, 1);
	const struct abbrev *declaration = known(&abbrevs, 2);

	CU_ASSERT_EQUAL(function->tag, DW_TAG_subprogram);
	CU_ASSERT_EQUAL(function->nattrs, 4);
	CU_ASSERT(function->has_children && function->has_code && !function->declaration);
	CU_ASSERT_EQUAL(function->sibling_at, 2);
	CU_ASSERT_EQUAL(abbrevs.attrs[function->first_attr + 2].name, DW_AT_name);
	CU_ASSERT(!declaration->has_children && !declaration->has_code && declaration->declaration);
	CU_ASSERT_EQUAL(declaration->sibling_at, ABBREV_NO_SIBLING);
	CU_ASSERT_PTR_NULL(abbrevs_find(&abbrevs, 0));
	CU_ASSERT_PTR_NULL(abbrevs_find(&abbrevs, 3));
	abbrevs_release(&abbrevs);
}

static void
test_only(void)
{
	struct cursor cursor = cursor_on(two_kinds, sizeof(two_kinds));
	struct abbrevs abbrevs;

	CU_ASSERT(abbrevs_read(&abbrevs, &dwarf4, &cursor, 1));
	CU_ASSERT_EQUAL(abbrevs.count, 1);
	CU_ASSERT_EQUAL(cursor_left(&cursor), sizeof(two_kinds) - 13);
	abbrevs_release(&abbrevs);
}

static void
test_any_codes(void)
{
	static const unsigned char table[] = {0xac, 2, DW_TAG_variable, 0, 0, 0, 7, DW_TAG_member,
		0, 0, 0, 1, DW_TAG_enumerator, 0, 0, 0, 0};
	struct cursor cursor = cursor_on(table, sizeof(table));
	struct abbrevs abbrevs;

	CU_ASSERT(abbrevs_read(&abbrevs, &dwarf4, &cursor, 0));
	CU_ASSERT_EQUAL_FATAL(abbrevs.count, 3);
	CU_ASSERT_EQUAL(known(&abbrevs, 300)->tag, DW_TAG_variable);
	CU_ASSERT_EQUAL(known(&abbrevs, 7)->tag, DW_TAG_member);
	CU_ASSERT_EQUAL(known(&abbrevs, 1)->tag, DW_TAG_enumerator);
	CU_ASSERT_PTR_NULL(abbrevs_find(&abbrevs, 2));
	abbrevs_release(&abbrevs);
}

static void
test_leaves(void)
{
	static const unsigned char table[] = {
		/* 1: 5 bytes; 2: no fixed size; 3: children; 4: a function */
		1, DW_TAG_member, 0, DW_AT_type, DW_FORM_ref4, DW_AT_decl_line, DW_FORM_data1, 0, 0,
		2, DW_TAG_variable, 0, DW_AT_name, DW_FORM_string, 0, 0, 3, DW_TAG_class_type, 1, 0,
		0, 4, DW_TAG_subprogram, 0, 0, 0, 0};
	struct cursor cursor = cursor_on(table, sizeof(table));
	struct abbrevs abbrevs;

	CU_ASSERT(abbrevs_read(&abbrevs, &dwarf4, &cursor, 0));
	CU_ASSERT_EQUAL_FATAL(abbrevs.nleaves, 5);
	CU_ASSERT_EQUAL(abbrevs.leaf_bytes[0], ABBREV_NO_SIZE);
	CU_ASSERT_EQUAL(abbrevs.leaf_bytes[1], 5);
	for (int code = 2; code <= 4; code++)
		CU_ASSERT_EQUAL(abbrevs.leaf_bytes[code], ABBREV_NO_SIZE);
	abbrevs_release(&abbrevs);
}

static void
test_cut_short(void)
{
	for (size_t len = 0; len + 5 < sizeof(two_kinds); len++) {
		struct cursor cursor = cursor_on(two_kinds, len);
		struct abbrevs abbrevs;

		CU_ASSERT(!abbrevs_read(&abbrevs, &dwarf4, &cursor, 0));
		abbrevs_release(&abbrevs);
	}
}

/* How many bytes an entry takes that has one value of this form. */
static size_t
bytes_of(const struct abbrev_format *format, unsigned form, const unsigned char *value, size_t len)
{
	unsigned char table[] = {
		1, DW_TAG_variable, 0, DW_AT_const_value, (unsigned char)form, 0, 0, 0};
	struct cursor cursor = cursor_on(table, sizeof(table));
	struct cursor entry = cursor_on(value, len);
	struct abbrevs abbrevs;

	CU_ASSERT(abbrevs_read(&abbrevs, format, &cursor, 0));
	CU_ASSERT_EQUAL_FATAL(abbrevs.count, 1);
	abbrev_skip(&abbrevs, &abbrevs.entries[0], &entry);
	abbrevs_release(&abbrevs);
	return entry.failed ? SIZE_MAX : len - cursor_left(&entry);
}

static void
test_sizes(void)
{
	static const struct abbrev_format dwarf2 = {
		.version = 2, .address_bytes = 8, .offset_bytes = 4};
	static const struct abbrev_format wide = {
		.version = 5, .address_bytes = 4, .offset_bytes = 8};
	static const unsigned char zeros[32] = {0};
	static const unsigned char text[] = "abc\0";
	static const unsigned char number[] = {0x80, 0x80, 1, 9};
	static const unsigned char block[] = {3, 0, 0, 0, 0, 0, 0, 0};
	static const unsigned char indirect[] = {DW_FORM_data4, 1, 2, 3, 4, 5};
	static const unsigned char twice[] = {DW_FORM_indirect, DW_FORM_data4, 1, 2, 3, 4, 5};

	CU_ASSERT_EQUAL(bytes_of(&dwarf4, DW_FORM_strx3, zeros, 32), 3);
	CU_ASSERT_EQUAL(bytes_of(&dwarf4, DW_FORM_data16, zeros, 32), 16);
	CU_ASSERT_EQUAL(bytes_of(&dwarf4, DW_FORM_addr, zeros, 32), 8);
	CU_ASSERT_EQUAL(bytes_of(&wide, DW_FORM_addr, zeros, 32), 4);
	CU_ASSERT_EQUAL(bytes_of(&dwarf4, DW_FORM_strp, zeros, 32), 4);
	CU_ASSERT_EQUAL(bytes_of(&wide, DW_FORM_line_strp, zeros, 32), 8);
	CU_ASSERT_EQUAL(bytes_of(&dwarf2, DW_FORM_ref_addr, zeros, 32), 8);
	CU_ASSERT_EQUAL(bytes_of(&dwarf4, DW_FORM_ref_addr, zeros, 32), 4);
	CU_ASSERT_EQUAL(bytes_of(&dwarf4, DW_FORM_string, text, sizeof(text)), 4);
	CU_ASSERT_EQUAL(bytes_of(&dwarf4, DW_FORM_udata, number, sizeof(number)), 3);
	CU_ASSERT_EQUAL(bytes_of(&dwarf4, DW_FORM_block1, block, sizeof(block)), 4);
	CU_ASSERT_EQUAL(bytes_of(&dwarf4, DW_FORM_block2, block, sizeof(block)), 5);
	CU_ASSERT_EQUAL(bytes_of(&dwarf4, DW_FORM_block4, block, sizeof(block)), 7);
	CU_ASSERT_EQUAL(bytes_of(&dwarf4, DW_FORM_exprloc, block, sizeof(block)), 4);
	CU_ASSERT_EQUAL(bytes_of(&dwarf4, DW_FORM_indirect, indirect, sizeof(indirect)), 5);
	CU_ASSERT_EQUAL(bytes_of(&dwarf4, DW_FORM_indirect, twice, sizeof(twice)), SIZE_MAX);
	CU_ASSERT_EQUAL(bytes_of(&dwarf4, 0x7f, zeros, 32), SIZE_MAX);
	CU_ASSERT_EQUAL(bytes_of(&dwarf4, DW_FORM_data8, zeros, 7), SIZE_MAX);
}

static void
test_constant(void)
{
	static const unsigned char table[] = {1, DW_TAG_variable, 0, DW_AT_decl_file,
		DW_FORM_implicit_const, 0x7e, DW_AT_decl_line, DW_FORM_data1, 0, 0, 0};
	struct cursor cursor = cursor_on(table, sizeof(table));
	struct cursor entry = cursor_on(table, 2);
	struct abbrevs abbrevs;

	CU_ASSERT(abbrevs_read(&abbrevs, &dwarf4, &cursor, 0));
	CU_ASSERT_EQUAL_FATAL(abbrevs.nattrs, 2);
	CU_ASSERT_EQUAL(abbrevs.attrs[0].constant, -2);
	abbrev_skip(&abbrevs, &abbrevs.entries[0], &entry);
	CU_ASSERT_EQUAL(cursor_left(&entry), 1);
	abbrevs_release(&abbrevs);
}

static const struct unit_case cases[] = {
	{"a_table_ends_at_its_zero_and_tells_what_entries_hold", test_table},
	{"reading_can_stop_behind_the_abbreviation_that_is_wanted", test_only},
	{"codes_may_have_any_order_and_gaps", test_any_codes},
	{"leaves_of_fixed_size_are_known_by_their_code", test_leaves},
	{"a_table_that_is_cut_short_is_damaged", test_cut_short},
	{"each_form_is_stepped_over_by_its_size", test_sizes},
	{"a_constant_in_the_table_takes_no_byte_of_the_entry", test_constant},
	{NULL, NULL},
};

void
suite_dwarf_abbrevs(void)
{
	unit_suite("dwarf/abbrevs", cases);
}
