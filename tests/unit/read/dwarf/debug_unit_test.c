
#include "dwarf/debug_unit.h"

#include "base/buf.h"
#include "dwarf/abbrevs.h"
#include "dwarf/debug_data.h"
#include "dwarf/span_index.h"
#include "unit.h"

#include <dwarf.h>

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

static const struct unit_case cases[] = {
	{"headers_of_all_versions_are_read_up_to_the_first_damaged_one", test_headers},
	{"an_entry_is_found_in_the_unit_that_holds_it", test_find},
	{"a_root_s_attributes_may_come_before_what_they_depend_on", test_root},
	{"a_root_without_its_abbreviation_cannot_be_read", test_no_root},
	{"units_that_memory_is_not_granted_for_are_left",
		units_that_memory_is_not_granted_for_are_left},
	{NULL, NULL},
};

void
suite_dwarf_debug_unit(void)
{
	unit_suite("dwarf/debug_unit", cases);
}
