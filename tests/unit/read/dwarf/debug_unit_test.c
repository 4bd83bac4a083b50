/* Headers of units made by hand, and one root entry. */
#include "dwarf/debug_unit.h"

#include "base/buf.h"
#include "unit.h"

#include <dwarf.h>
#include <stdlib.h>

void suite_dwarf_debug_unit(void);

struct maker {
	struct buf info;
	struct debug_data data;
	struct debug_units units;
};

static void
begin(struct maker *maker)
{
	*maker = (struct maker){.units = {.count = 0}};
	maker->info = (struct buf){0};
}

static void
read_all(struct maker *maker)
{
	maker->data.sections[DEBUG_INFO] =
		(struct debug_bytes){(const unsigned char *)maker->info.data, maker->info.len};
	debug_data_grant(&maker->data);
	debug_units_read(&maker->units, &maker->data);
}

static void
release(struct maker *maker)
{
	debug_units_release(&maker->units);
	buf_release(&maker->info);
}

static void
put_u16(struct buf *out, uint16_t value)
{
	buf_put(out, &value, sizeof(value));
}

/* A unit of `version`, with `bytes` of zeros as its entries. */
static void
put_unit(struct maker *maker, uint16_t version, size_t bytes)
{
	struct buf *out = &maker->info;

	buf_put_u32(out, (uint32_t)((version >= 5 ? 8 : 7) + bytes));
	put_u16(out, version);
	if (version >= 5)
		buf_put(out, (char[]){DW_UT_compile, 8}, 2);
	buf_put_u32(out, version);
	if (version < 5)
		buf_putc(out, 8);
	buf_put_zeros(out, bytes);
}

static void
test_headers(void)
{
	struct maker maker;

	begin(&maker);
	put_unit(&maker, 4, 3);
	put_unit(&maker, 6, 3); /* of a version to come */
	put_unit(&maker, 5, 2);
	/* 64-bit DWARF, section 7.4 */
	buf_put_u32(&maker.info, UINT32_MAX);
	buf_put_u64(&maker.info, 12);
	put_u16(&maker.info, 3);
	buf_put_u64(&maker.info, 77);
	buf_put(&maker.info, (char[]){4, 0}, 2);
	put_unit(&maker, 2, 1);
	buf_put_u32(&maker.info, 100); /* cut short */
	put_u16(&maker.info, 4);
	read_all(&maker);
	CU_ASSERT_EQUAL_FATAL(maker.units.count, 4);

	const struct debug_unit *units = maker.units.units;

	CU_ASSERT_EQUAL(units[0].offset, 0);
	CU_ASSERT_EQUAL(units[0].first_die, 11);
	CU_ASSERT_EQUAL(units[0].end, 14);
	CU_ASSERT_EQUAL(units[0].format.version, 4);
	CU_ASSERT_EQUAL(units[0].format.address_bytes, 8);
	CU_ASSERT_EQUAL(units[0].abbrev_offset, 4);
	CU_ASSERT_EQUAL(units[1].offset, 29);
	CU_ASSERT_EQUAL(units[1].first_die, 41);
	CU_ASSERT_EQUAL(units[1].abbrev_offset, 5);
	CU_ASSERT_EQUAL(units[1].format.offset_bytes, 4);
	CU_ASSERT_EQUAL(units[2].abbrev_offset, 77);
	CU_ASSERT_EQUAL(units[2].format.offset_bytes, 8);
	CU_ASSERT_EQUAL(units[2].format.address_bytes, 4);
	CU_ASSERT_EQUAL(units[2].str_offsets_base, 16);
	CU_ASSERT_EQUAL(units[3].format.version, 2);
	release(&maker);
}

/* Which unit holds the entry: its number, or -1. */
static ptrdiff_t
holder(const struct maker *maker, uint64_t offset)
{
	const struct debug_unit *unit = debug_units_find(&maker->units, offset);

	return unit ? unit - maker->units.units : -1;
}

static void
test_find(void)
{
	struct maker maker;

	begin(&maker);
	put_unit(&maker, 4, 3);
	put_unit(&maker, 4, 3);
	read_all(&maker);
	CU_ASSERT_EQUAL(holder(&maker, 0), -1);
	CU_ASSERT_EQUAL(holder(&maker, 10), -1);
	CU_ASSERT_EQUAL(holder(&maker, 11), 0);
	CU_ASSERT_EQUAL(holder(&maker, 13), 0);
	CU_ASSERT_EQUAL(holder(&maker, 14), -1);
	CU_ASSERT_EQUAL(holder(&maker, 25), 1);
	CU_ASSERT_EQUAL(holder(&maker, 28), -1);
	CU_ASSERT_EQUAL(holder(&maker, UINT64_MAX), -1);
	release(&maker);
}

/* The address of its code is an index, whose table's place comes behind it. */
static void
test_root(void)
{
	static const unsigned char abbrevs[] = {1, DW_TAG_compile_unit, 0, DW_AT_low_pc,
		DW_FORM_addrx, DW_AT_high_pc, DW_FORM_data4, DW_AT_addr_base, DW_FORM_sec_offset,
		DW_AT_stmt_list, DW_FORM_sec_offset, DW_AT_comp_dir, DW_FORM_string, DW_AT_language,
		DW_FORM_data1, 0, 0, 0};
	static const uint64_t addresses[] = {0, 0, 0x1000, 0x2000};
	struct span_list spans = {0};
	struct maker maker;

	begin(&maker);
	put_unit(&maker, 5, 0);
	buf_put(&maker.info, (char[]){1, 1}, 2);
	buf_put_u32(&maker.info, 0x30);
	buf_put_u32(&maker.info, 16);
	buf_put_u32(&maker.info, 99);
	buf_put(&maker.info, "/src", 5);
	buf_putc(&maker.info, DW_LANG_C11);

	uint32_t len = (uint32_t)maker.info.len - 4;

	memcpy(maker.info.data, &len, sizeof(len));
	memset(maker.info.data + 8, 0, 4); /* the table of abbreviations */
	maker.data.sections[DEBUG_ABBREV] = (struct debug_bytes){abbrevs, sizeof(abbrevs)};
	maker.data.sections[DEBUG_ADDR] =
		(struct debug_bytes){(const unsigned char *)addresses, sizeof(addresses)};
	read_all(&maker);
	CU_ASSERT_EQUAL_FATAL(maker.units.count, 1);

	struct debug_unit *unit = &maker.units.units[0];

	CU_ASSERT(debug_unit_open(unit, &spans, 5));
	CU_ASSERT_EQUAL(unit->low_pc, 0x2000);
	CU_ASSERT_EQUAL(unit->lines, 99);
	CU_ASSERT(unit->has_lines);
	CU_ASSERT_EQUAL(unit->language, DW_LANG_C11);
	UNIT_STR_EQ(unit->folder ? unit->folder : "", "/src");
	CU_ASSERT_EQUAL_FATAL(spans.count, 1);
	CU_ASSERT_EQUAL(spans.spans[0].low, 0x2000);
	CU_ASSERT_EQUAL(spans.spans[0].high, 0x2030);
	CU_ASSERT_EQUAL(spans.spans[0].item, 5);
	/* Once only, and then with all abbreviations. */
	CU_ASSERT(debug_unit_open(unit, &spans, 6));
	CU_ASSERT_EQUAL(spans.count, 1);
	CU_ASSERT(debug_unit_use(unit));
	CU_ASSERT_EQUAL(unit->abbrevs.count, 1);
	span_list_release(&spans);
	release(&maker);
}

static void
test_no_root(void)
{
	static const unsigned char abbrevs[] = {2, DW_TAG_compile_unit, 0, 0, 0, 0};
	struct maker maker;

	begin(&maker);
	put_unit(&maker, 4, 1);
	maker.info.data[maker.info.len - 1] = 1; /* a code that there is not */
	memset(maker.info.data + 6, 0, 4);
	read_all(&maker);
	CU_ASSERT_EQUAL_FATAL(maker.units.count, 1);
	CU_ASSERT(!debug_unit_open(&maker.units.units[0], NULL, 0));
	maker.data.sections[DEBUG_ABBREV] = (struct debug_bytes){abbrevs, sizeof(abbrevs)};
	CU_ASSERT(!debug_unit_open(&maker.units.units[0], NULL, 0));
	CU_ASSERT(!debug_unit_use(&maker.units.units[0]));
	release(&maker);
}

static void
units_that_memory_is_not_granted_for_are_left(void)
{
	struct maker maker;

	begin(&maker);
	for (size_t i = 0; i < 3; i++)
		put_unit(&maker, 4, 1);
	read_all(&maker);
	CU_ASSERT_EQUAL(maker.units.count, 3);
	debug_units_release(&maker.units);
	maker.data.memory.left = 2 * sizeof(struct debug_unit);
	debug_units_read(&maker.units, &maker.data);
	CU_ASSERT_EQUAL(maker.units.count, 2);
	release(&maker);
}

/* Builds an index of `list`, which it empties. */
static struct span_index
build(struct span_list *list, struct arena *arena)
{
	struct span_index index;

	*arena = (struct arena){0};
	span_index_build(&index, list, arena);
	span_list_release(list);
	return index;
}

static void
test_nested(void)
{
	struct span_list list = {0};
	struct arena arena;

	span_list_add(&list, 20, 30, 2);
	span_list_add(&list, 10, 100, 1);
	span_list_add(&list, 22, 24, 3);
	span_list_add(&list, 30, 40, 4);

	struct span_index index = build(&list, &arena);

	CU_ASSERT_EQUAL(span_index_find(&index, 9), SPAN_NONE);
	CU_ASSERT_EQUAL(span_index_find(&index, 10), 1);
	CU_ASSERT_EQUAL(span_index_find(&index, 21), 2);
	CU_ASSERT_EQUAL(span_index_find(&index, 23), 3);
	CU_ASSERT_EQUAL(span_index_find(&index, 24), 2);
	CU_ASSERT_EQUAL(span_index_find(&index, 30), 4);
	CU_ASSERT_EQUAL(span_index_find(&index, 40), 1);
	CU_ASSERT_EQUAL(span_index_find(&index, 99), 1);
	CU_ASSERT_EQUAL(span_index_find(&index, 100), SPAN_NONE);
	arena_release(&arena);
}

static void
test_equal(void)
{
	struct span_list list = {0};
	struct arena arena;

	span_list_add(&list, 10, 20, 7);
	span_list_add(&list, 10, 20, 5);
	span_list_add(&list, 10, 12, 1);

	struct span_index index = build(&list, &arena);

	CU_ASSERT_EQUAL(span_index_find(&index, 10), 1);
	CU_ASSERT_EQUAL(span_index_find(&index, 12), 7);
	arena_release(&arena);
}

static void
test_empty(void)
{
	struct span_list list = {0};
	struct arena arena;

	span_list_add(&list, 10, 10, 1);
	span_list_add(&list, 10, 5, 1);
	CU_ASSERT_EQUAL(list.count, 0);

	struct span_index index = build(&list, &arena);

	CU_ASSERT_EQUAL(span_index_find(&index, 10), SPAN_NONE);
	arena_release(&arena);
}

/* The innermost by the definition in the header, found by looking at all. */
static uint32_t
innermost(const struct span *spans, size_t count, uint64_t address)
{
	const struct span *best = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct span *span = &spans[i];

		if (address < span->low || address >= span->high)
			continue;
		if (!best || span->low > best->low ||
			(span->low == best->low &&
				(span->high < best->high ||
					(span->high == best->high && span->item > best->item))))
			best = span;
	}
	return best ? best->item : SPAN_NONE;
}

static void
test_any(void)
{
	struct span spans[12];
	uint32_t random = 1;
	size_t wrong = 0;

	for (unsigned round = 0; round < 500; round++) {
		struct span_list list = {0};
		struct arena arena;

		for (uint32_t i = 0; i < 12; i++) {
			random = random * 1103515245 + 12345;
			spans[i].low = random >> 16 & 63;
			spans[i].high = spans[i].low + 1 + (random >> 24 & 31);
			spans[i].item = i;
			span_list_add(&list, spans[i].low, spans[i].high, i);
		}

		struct span_index index = build(&list, &arena);

		for (uint64_t at = 0; at < 100; at++)
			wrong += span_index_find(&index, at) != innermost(spans, 12, at);
		arena_release(&arena);
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

/* Tables of abbreviations made by hand, and entries that are stepped over by them. */

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

void
suite_dwarf_debug_unit(void)
{
	static const struct unit_case cases[] = {
		{"headers_of_all_versions_are_read_up_to_the_first_damaged_one", test_headers},
		{"an_entry_is_found_in_the_unit_that_holds_it", test_find},
		{"a_root_s_attributes_may_come_before_what_they_depend_on", test_root},
		{"a_root_without_its_abbreviation_cannot_be_read", test_no_root},
		{"units_that_memory_is_not_granted_for_are_left",
			units_that_memory_is_not_granted_for_are_left},
		{"the_innermost_span_is_found", test_nested},
		{"of_spans_that_start_together_the_shorter_one_is_inside", test_equal},
		{"empty_and_inverted_spans_hold_nothing", test_empty},
		{"overlapping_spans_follow_the_same_rule", test_any},
		{"a_table_ends_at_its_zero_and_tells_what_entries_hold", test_table},
		{"reading_can_stop_behind_the_abbreviation_that_is_wanted", test_only},
		{"codes_may_have_any_order_and_gaps", test_any_codes},
		{"leaves_of_fixed_size_are_known_by_their_code", test_leaves},
		{"a_table_that_is_cut_short_is_damaged", test_cut_short},
		{"each_form_is_stepped_over_by_its_size", test_sizes},
		{"a_constant_in_the_table_takes_no_byte_of_the_entry", test_constant},
		{NULL, NULL},
	};

	unit_suite("dwarf/debug_unit", cases);
}
