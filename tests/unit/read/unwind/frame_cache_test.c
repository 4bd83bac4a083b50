#include "unwind/unwind_internal.h"
#include "unwind/unwind_table.h"

#include "unit.h"
#include "unwind/made_elf.h"

void suite_unwind_frame_cache(void);

static struct unwind_table *
table_with(unsigned char cfa_offset)
{
	const unsigned char program[] = {DW_CFA_def_cfa_offset, cfa_offset};
	struct made_elf made;
	struct elf_image image;

	made_elf_init(&made);
	made_elf_function(&made, MADE_ELF_TEXT, 0x8000, program, sizeof(program));
	made_elf_finish(&made, EM_X86_64);
	CU_ASSERT_TRUE_FATAL(elf_image_open_memory(&image, made.bytes.data, made.bytes.len));
	struct unwind_table *table = unwind_table_new(unwind_machine_find("x86_64"), &image, NULL);

	made_elf_release(&made);
	CU_ASSERT_PTR_NOT_NULL_FATAL(table);
	return table;
}

static void
test_places(void)
{
	struct unwind_table *tables[2] = {table_with(16), table_with(32)};
	struct frame_cache cache;

	frame_cache_init(&cache);
	/* More places than are remembered, twice. */
	for (uint64_t i = 0; i < UINT64_C(4) * 0x8000; i++) {
		struct unwind_table *table = tables[i % 2];
		uint64_t offset = MADE_ELF_TEXT_OFFSET + i / 2 % 0x8000;
		const struct cached_frame *frame = frame_cache_find(&cache, table, offset);

		if (!frame->saves || frame->cfa_value != 16 + 16 * (int)(i % 2) ||
			frame->table != table || frame->file_offset != offset)
			CU_FAIL("a frame of another table or place");
		frame = frame_cache_find_leaf(&cache, table, offset);
		if (!frame->saves || frame->cfa_value != 16 + 16 * (int)(i % 2) ||
			frame->table != table || frame->file_offset > offset)
			CU_FAIL("a leaf's frame of another table or place");
	}
	CU_ASSERT_PTR_NULL(
		frame_cache_find(&cache, tables[0], MADE_ELF_TEXT_OFFSET + 0x8000)->saves);
	CU_ASSERT_PTR_NULL(frame_cache_find(&cache, tables[0], 0)->saves);
	CU_ASSERT_PTR_NULL(
		frame_cache_find_leaf(&cache, tables[0], MADE_ELF_TEXT_OFFSET + 0x8000)->saves);
	CU_ASSERT_PTR_NULL(frame_cache_find_leaf(&cache, tables[0], 0)->saves);
	frame_cache_release(&cache);
	unwind_table_free(tables[0]);
	unwind_table_free(tables[1]);
}

void
suite_unwind_frame_cache(void)
{
	static const struct unit_case cases[] = {
		{"frames_are_those_of_their_table_and_place", test_places},
		{0},
	};

	unit_suite("unwind/frame_cache", cases);
}
