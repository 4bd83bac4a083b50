#include "unwind/unwind_internal.h"

#include "base/mem.h"
#include "unit.h"

void suite_unwind_function_index(void);

static void
add(struct function_index *functions, uint32_t start, uint32_t size, uint32_t where)
{
	functions->list[functions->count++] = (struct indexed_function){start, size, where};
}

static void
test_order(void)
{
	struct function_index functions = {.base = 0x1000};
	struct indexed_function *list = mem_zalloc(3000, sizeof(*list));
	size_t i;

	functions.list = list;
	functions.capacity = 3000;
	for (uint32_t k = 0; k < 3000; k++)
		add(&functions, (k * 1103515245u) & ~0xffu, 0x80, k);
	function_index_finish(&functions);
	for (size_t k = 1; k < functions.count; k++)
		CU_ASSERT(functions.list[k - 1].start < functions.list[k].start);
	CU_ASSERT(functions.count > 2990);
	for (size_t k = 0; k < functions.count; k++) {
		uint64_t address = functions.base + functions.list[k].start;

		CU_ASSERT_TRUE(function_index_find(&functions, address, &i));
		CU_ASSERT_EQUAL(i, k);
		CU_ASSERT_TRUE(function_index_find(&functions, address + 0x7f, &i));
		CU_ASSERT_FALSE(function_index_find(&functions, address + 0x80, &i));
	}
	CU_ASSERT_FALSE(function_index_find(&functions, 0xfff, &i));
	CU_ASSERT_FALSE(function_index_find(&functions, UINT64_MAX, &i));
	function_index_release(&functions);
}

static void
test_first_stays(void)
{
	struct function_index functions = {.capacity = 4};
	size_t i;

	functions.list = mem_zalloc(4, sizeof(*functions.list));
	add(&functions, 0x20, 0x10, 1);
	add(&functions, 0x10, 0x10, 2);
	add(&functions, 0x20, 0x8, 3);
	function_index_finish(&functions);
	CU_ASSERT_EQUAL(functions.count, 2);
	CU_ASSERT_TRUE_FATAL(function_index_find(&functions, 0x2f, &i));
	CU_ASSERT_EQUAL(functions.list[i].where, 1);
	function_index_release(&functions);
}

static void
test_segments(void)
{
	struct code_segment list[] = {{0x1000, 0x401000, 0x500}, {0x3000, 0x700000, 0x100}};
	struct code_segments code = {.list = list, .count = 2, .base = 0x401000};
	uint64_t value;

	CU_ASSERT_TRUE_FATAL(code_segments_address(&code, 0x14ff, &value));
	CU_ASSERT_EQUAL(value, 0x4014ff);
	CU_ASSERT_FALSE(code_segments_address(&code, 0x1500, &value));
	CU_ASSERT_FALSE(code_segments_address(&code, 0xfff, &value));
	CU_ASSERT_TRUE_FATAL(code_segments_address(&code, 0x3000, &value));
	CU_ASSERT_EQUAL(value, 0x700000);
	CU_ASSERT_TRUE_FATAL(code_segments_offset(&code, 0x7000ff, &value));
	CU_ASSERT_EQUAL(value, 0x30ff);
	CU_ASSERT_FALSE(code_segments_offset(&code, 0x700100, &value));
}

void
suite_unwind_function_index(void)
{
	static const struct unit_case cases[] = {
		{"functions_are_sorted_and_found", test_order},
		{"the_first_of_two_stays", test_first_stays},
		{"offsets_are_those_of_the_code", test_segments},
		{0},
	};

	unit_suite("unwind/function_index", cases);
}
