/* Indices of packages made by hand. */
#include "base/buf.h"
#include "dwarf/debug_data.h"
#include "dwarf/split_units.h"
#include "unit.h"

#include <dwarf.h>

void suite_dwarf_split_index(void);

#define NSLOTS 4

struct maker {
	struct buf index;
	struct debug_data package;
	struct debug_data part;
};

static const unsigned char bytes[100] = {0};

/* Two units, of ids 5 and 9: both belong into slot 1. */
static void
begin(struct maker *maker, uint32_t version)
{
	static const uint32_t columns[] = {DW_SECT_INFO, DW_SECT_ABBREV, DW_SECT_RNGLISTS};
	static const uint32_t offsets[] = {0, 0, 0, 10, 20, 30};
	static const uint32_t sizes[] = {10, 20, 30, 40, 50, 60};
	static const uint64_t ids[NSLOTS] = {0, 5, 9, 0};
	static const uint32_t rows[NSLOTS] = {0, 1, 2, 0};
	static const uint32_t counts[] = {3, 2, NSLOTS};

	*maker = (struct maker){0};
	maker->index = (struct buf){0};
	buf_put_u32(&maker->index, version);
	buf_put(&maker->index, counts, sizeof(counts));
	buf_put(&maker->index, ids, sizeof(ids));
	buf_put(&maker->index, rows, sizeof(rows));
	buf_put(&maker->index, columns, sizeof(columns));
	buf_put(&maker->index, offsets, sizeof(offsets));
	buf_put(&maker->index, sizes, sizeof(sizes));
	for (int i = 0; i < DEBUG_NSECTIONS; i++)
		maker->package.sections[i] = (struct debug_bytes){bytes, sizeof(bytes)};
}

static bool
find(struct maker *maker, uint64_t id)
{
	maker->package.sections[DEBUG_CU_INDEX] =
		(struct debug_bytes){(const unsigned char *)maker->index.data, maker->index.len};
	return split_units_slice(&maker->package, id, &maker->part);
}

static void
put_u32(struct maker *maker, size_t at, uint32_t value)
{
	memcpy(maker->index.data + at, &value, sizeof(value));
}

static void
test_find(void)
{
	struct maker maker;

	begin(&maker, 5);
	CU_ASSERT(find(&maker, 9));
	CU_ASSERT_PTR_EQUAL(maker.part.sections[DEBUG_INFO].start, bytes + 10);
	CU_ASSERT_EQUAL(maker.part.sections[DEBUG_INFO].len, 40);
	CU_ASSERT_EQUAL(maker.part.sections[DEBUG_ABBREV].len, 50);
	CU_ASSERT_PTR_EQUAL(maker.part.sections[DEBUG_RNGLISTS].start, bytes + 30);
	CU_ASSERT_EQUAL(maker.part.sections[DEBUG_STR].len, sizeof(bytes));
	CU_ASSERT_EQUAL(maker.part.sections[DEBUG_STR_OFFSETS].len, 0);
	CU_ASSERT(find(&maker, 5));
	CU_ASSERT_EQUAL(maker.part.sections[DEBUG_INFO].len, 10);
	CU_ASSERT(!find(&maker, 1));
	CU_ASSERT(!find(&maker, 0));
	buf_release(&maker.index);
}

static void
test_old(void)
{
	struct maker maker;

	begin(&maker, 2);
	CU_ASSERT(find(&maker, 5));
	CU_ASSERT_EQUAL(maker.part.sections[DEBUG_INFO].len, 10);
	CU_ASSERT_EQUAL(maker.part.sections[DEBUG_RNGLISTS].len, 0);
	buf_release(&maker.index);
}

static void
test_damaged(void)
{
	const size_t slots_at = 12;
	const size_t rows_at = 16 + (size_t)8 * NSLOTS;
	const size_t sizes_at = rows_at + (size_t)4 * NSLOTS + 12 + 24;
	struct maker maker;

	begin(&maker, 5);
	put_u32(&maker, sizes_at, 101);
	CU_ASSERT(!find(&maker, 5));
	CU_ASSERT(find(&maker, 9));
	/* A row that there is not; then slots that are all in use by others. */
	put_u32(&maker, rows_at + 8, 3);
	CU_ASSERT(!find(&maker, 9));
	for (size_t i = 0; i < NSLOTS; i++)
		put_u32(&maker, rows_at + 4 * i, 1);
	CU_ASSERT(!find(&maker, 77));
	put_u32(&maker, slots_at, 3);
	CU_ASSERT(!find(&maker, 5));
	put_u32(&maker, slots_at, 1u << 31);
	CU_ASSERT(!find(&maker, 5));
	put_u32(&maker, slots_at, 0);
	CU_ASSERT(!find(&maker, 5));
	buf_release(&maker.index);
	begin(&maker, 3);
	CU_ASSERT(!find(&maker, 5));
	buf_release(&maker.index);
}

static void
test_cut_short(void)
{
	struct maker maker;

	begin(&maker, 5);
	size_t whole = maker.index.len;

	for (maker.index.len = 0; maker.index.len < whole; maker.index.len++)
		CU_ASSERT(!find(&maker, 5));
	CU_ASSERT(find(&maker, 5));
	buf_release(&maker.index);
}

void
suite_dwarf_split_index(void)
{
	static const struct unit_case cases[] = {
		{"a_unit_has_its_slices_of_the_sections", test_find},
		{"columns_of_version_2_have_other_meanings", test_old},
		{"what_does_not_fit_is_not_found", test_damaged},
		{"an_index_that_is_cut_short_has_nothing", test_cut_short},
		{NULL, NULL},
	};

	unit_suite("dwarf/split_index", cases);
}
