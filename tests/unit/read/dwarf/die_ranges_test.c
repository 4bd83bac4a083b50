/* Lists of address ranges made by hand, in each of their two formats. */
#include "dwarf/dwarf_internal.h"

#include "base/buf.h"
#include "unit.h"

#include <dwarf.h>

void suite_dwarf_die_ranges(void);

struct maker {
	struct debug_data data;
	struct debug_unit unit;
	struct buf list;
};

static void
begin(struct maker *maker, uint8_t version)
{
	*maker = (struct maker){
		.unit = {.format = {.version = version, .address_bytes = 8, .offset_bytes = 4},
			.low_pc = 0x1000,
			.addr_base = 8,
			.rnglists_base = 0}};
	maker->unit.data = &maker->data;
	maker->list = (struct buf){0};
}

/* Reads the list, or the one with the number `offset`. */
static bool
read_list(struct maker *maker, uint64_t offset, bool indexed, struct span_list *spans)
{
	enum debug_section section = maker->unit.format.version < 5 ? DEBUG_RANGES : DEBUG_RNGLISTS;

	maker->data.sections[section] =
		(struct debug_bytes){(const unsigned char *)maker->list.data, maker->list.len};
	debug_data_grant(&maker->data);
	return die_ranges(&maker->unit, offset, indexed, spans, 3);
}

static void
expect_span(const struct span_list *spans, size_t which, uint64_t low, uint64_t high)
{
	CU_ASSERT_FATAL(which < spans->count);
	CU_ASSERT_EQUAL(spans->spans[which].low, low);
	CU_ASSERT_EQUAL(spans->spans[which].high, high);
	CU_ASSERT_EQUAL(spans->spans[which].item, 3);
}

static void
put_pair(struct buf *list, uint64_t a, uint64_t b)
{
	buf_put_u64(list, a);
	buf_put_u64(list, b);
}

static void
test_old(void)
{
	struct span_list spans = {0};
	struct maker maker;

	begin(&maker, 4);
	put_pair(&maker.list, 0x10, 0x20);
	put_pair(&maker.list, UINT64_MAX, 0x9000);
	put_pair(&maker.list, 0, 8);
	put_pair(&maker.list, 4, 4); /* empty */
	put_pair(&maker.list, 0, 0);
	put_pair(&maker.list, 1, 2); /* another list's */
	CU_ASSERT(read_list(&maker, 0, false, &spans));
	CU_ASSERT_EQUAL(spans.count, 2);
	expect_span(&spans, 0, 0x1010, 0x1020);
	expect_span(&spans, 1, 0x9000, 0x9008);
	CU_ASSERT(!read_list(&maker, 80, false, &spans)); /* without an end */
	CU_ASSERT(!read_list(&maker, 4096, false, &spans));
	span_list_release(&spans);
	buf_release(&maker.list);
}

static void
test_new(void)
{
	static const uint64_t addresses[] = {0, 0x5000, 0x6000, 0x6040};
	struct span_list spans = {0};
	struct maker maker;

	begin(&maker, 5);
	maker.data.sections[DEBUG_ADDR] =
		(struct debug_bytes){(const unsigned char *)addresses, sizeof(addresses)};
	buf_put(&maker.list, (char[]){DW_RLE_offset_pair, 0x10, 0x20}, 3);
	buf_put(&maker.list, (char[]){DW_RLE_base_addressx, 0}, 2);
	buf_put(&maker.list, (char[]){DW_RLE_offset_pair, 1, 2}, 3);
	buf_put(&maker.list, (char[]){DW_RLE_startx_endx, 1, 2}, 3);
	buf_put(&maker.list, (char[]){DW_RLE_startx_length, 2, 9}, 3);
	buf_putc(&maker.list, DW_RLE_base_address);
	buf_put_u64(&maker.list, 0x7000);
	buf_put(&maker.list, (char[]){DW_RLE_offset_pair, 3, 4}, 3);
	buf_putc(&maker.list, DW_RLE_start_end);
	put_pair(&maker.list, 0x8000, 0x8001);
	buf_putc(&maker.list, DW_RLE_start_length);
	buf_put_u64(&maker.list, 0x9000);
	buf_putc(&maker.list, 0x11);
	buf_putc(&maker.list, DW_RLE_end_of_list);
	buf_put(&maker.list, (char[]){DW_RLE_offset_pair, 5, 6}, 3);
	CU_ASSERT(read_list(&maker, 0, false, &spans));
	CU_ASSERT_EQUAL(spans.count, 7);
	expect_span(&spans, 0, 0x1010, 0x1020);
	expect_span(&spans, 1, 0x5001, 0x5002);
	expect_span(&spans, 2, 0x6000, 0x6040);
	expect_span(&spans, 3, 0x6040, 0x6049);
	expect_span(&spans, 4, 0x7003, 0x7004);
	expect_span(&spans, 5, 0x8000, 0x8001);
	expect_span(&spans, 6, 0x9000, 0x9011);
	span_list_release(&spans);
	buf_release(&maker.list);
}

/* Offsets of lists count from behind the table's header, as their own places do. */
static void
test_by_number(void)
{
	struct span_list spans = {0};
	struct maker maker;

	begin(&maker, 5);
	maker.unit.rnglists_base = 12;
	buf_put_zeros(&maker.list, 12);
	buf_put_u32(&maker.list, 8);
	buf_put_u32(&maker.list, 12);
	buf_put(&maker.list, (char[]){DW_RLE_offset_pair, 1, 2, DW_RLE_end_of_list}, 4);
	buf_put(&maker.list, (char[]){DW_RLE_offset_pair, 3, 4, DW_RLE_end_of_list}, 4);
	CU_ASSERT(read_list(&maker, 1, true, &spans));
	CU_ASSERT_EQUAL(spans.count, 1);
	expect_span(&spans, 0, 0x1003, 0x1004);
	CU_ASSERT(!read_list(&maker, 4000, true, &spans));
	CU_ASSERT(!read_list(&maker, UINT64_MAX, true, &spans));
	span_list_release(&spans);
	buf_release(&maker.list);
}

static void
test_damaged(void)
{
	static const char lists[][4] = {
		{DW_RLE_offset_pair, 1, 2, 0x55},                 /* no such entry */
		{DW_RLE_offset_pair, 1, 2, DW_RLE_start_length},  /* cut short */
		{DW_RLE_startx_length, 9, 2, DW_RLE_end_of_list}, /* no such address */
		{DW_RLE_startx_endx, 9, 9, DW_RLE_end_of_list},
		{DW_RLE_base_addressx, 9, DW_RLE_end_of_list, DW_RLE_end_of_list},
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct span_list spans = {0};
		struct maker maker;

		begin(&maker, 5);
		buf_put(&maker.list, lists[i], sizeof(lists[i]));
		CU_ASSERT(!read_list(&maker, 0, false, &spans));
		CU_ASSERT_EQUAL(spans.count, i < 2);
		span_list_release(&spans);
		buf_release(&maker.list);
	}
}

static void
test_address(void)
{
	static const uint32_t narrow[] = {0, 0, 0x1234, 0x5678};
	struct die_value value = {.attr = DW_AT_low_pc, .class = DIE_INDEX, .number = 1};
	struct die_code code = {0};
	struct die_code none = {0};
	struct maker maker;

	begin(&maker, 5);
	maker.unit.format.address_bytes = 4;
	maker.data.sections[DEBUG_ADDR] =
		(struct debug_bytes){(const unsigned char *)narrow, sizeof(narrow)};
	die_take_code(&maker.unit, &value, &code);
	CU_ASSERT(code.has_low);
	CU_ASSERT_EQUAL(code.low, 0x5678);
	value.number = 2;
	die_take_code(&maker.unit, &value, &none);
	CU_ASSERT(!none.has_low);
	value.number = UINT64_MAX / 4;
	die_take_code(&maker.unit, &value, &none);
	CU_ASSERT(!none.has_low);
	buf_release(&maker.list);
}

/* There is memory for two more spans. */
static void
test_memory(void)
{
	struct span_list spans = {0};
	struct maker maker;

	for (uint8_t version = 4; version <= 5; version++) {
		begin(&maker, version);
		if (version < 5)
			put_pair(&maker.list, 1, 2);
		else
			buf_put(&maker.list, (char[]){DW_RLE_offset_pair, 1, 2}, 3);
		buf_put_zeros(&maker.list, 16);
		CU_ASSERT(read_list(&maker, 0, false, &spans));
		maker.data.memory.left = UINT64_C(2) * 64;
		CU_ASSERT(die_ranges(&maker.unit, 0, false, &spans, 3));
		CU_ASSERT(die_ranges(&maker.unit, 0, false, &spans, 3));
		CU_ASSERT_FALSE(die_ranges(&maker.unit, 0, false, &spans, 3));
		buf_release(&maker.list);
	}
	CU_ASSERT_EQUAL(spans.count, 6);
	span_list_release(&spans);
}

void
suite_dwarf_die_ranges(void)
{
	static const struct unit_case cases[] = {
		{"pairs_count_from_the_base_until_both_are_zero", test_old},
		{"every_kind_of_entry_of_dwarf_5_is_read", test_new},
		{"a_list_is_found_by_its_number", test_by_number},
		{"a_damaged_list_is_reported_and_what_came_before_stays", test_damaged},
		{"addresses_are_found_by_index_within_the_section", test_address},
		{"spans_that_memory_is_not_granted_for_are_not_added", test_memory},
		{NULL, NULL},
	};

	unit_suite("dwarf/die_ranges", cases);
}
