#include "unwind/frame_cache.h"

#include "unit.h"
#include "unwind/made_elf.h"

void suite_unwind_frame_cache(void);

#define CODE UINT64_C(0x7f0000000000)

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
test_spaces(void)
{
	struct unwind_map maps[2][2] = {
		{{CODE, CODE + 0x8000, MADE_ELF_TEXT_OFFSET, table_with(16)},
			{CODE + 0x10000, CODE + 0x11000, 0, NULL}},
		{{CODE, CODE + 0x8000, MADE_ELF_TEXT_OFFSET, table_with(32)},
			{CODE + 0x10000, CODE + 0x11000, 0, NULL}},
	};
	struct unwind_space spaces[2] = {{maps[0], 2, 1}, {maps[1], 2, 2}};
	struct frame_cache cache;

	frame_cache_init(&cache);
	/* More addresses than are remembered, twice. */
	for (uint64_t i = 0; i < UINT64_C(4) * 0x8000; i++) {
		unsigned which = i % 2;
		uint64_t address = CODE + i / 2 % 0x8000;
		const struct cached_frame *frame =
			frame_cache_find(&cache, &spaces[which], address);

		if (!frame->mapped || !frame->saves || frame->cfa_value != 16 + 16 * (int)which ||
			cache.tables[frame->table].table != maps[which][0].table)
			CU_FAIL("a frame of another space or address");
	}
	CU_ASSERT_EQUAL(cache.ntables, 3);
	CU_ASSERT_EQUAL(frame_cache_table(&cache, maps[1][0].table),
		3 - frame_cache_table(&cache, maps[0][0].table));
	const struct cached_frame *frame = frame_cache_find(&cache, &spaces[0], CODE + 0x10010);

	CU_ASSERT_TRUE(frame->mapped && !frame->saves && frame->table == 0);
	CU_ASSERT_FALSE(frame_cache_find(&cache, &spaces[0], CODE + 0x11000)->mapped);
	CU_ASSERT_FALSE(frame_cache_find(&cache, &spaces[0], CODE - 1)->mapped);
	CU_ASSERT_FALSE(frame_cache_find(&cache, &spaces[0], 0)->mapped);
	frame_cache_release(&cache);
	unwind_table_free(maps[0][0].table);
	unwind_table_free(maps[1][0].table);
}

#define TABLES 200

static void
test_tables(void)
{
	static struct unwind_table *tables[TABLES];
	struct frame_cache cache;

	frame_cache_init(&cache);
	for (unsigned i = 0; i < TABLES; i++) {
		tables[i] = table_with(16);
		struct unwind_map map = {CODE, CODE + 0x8000, MADE_ELF_TEXT_OFFSET, tables[i]};
		struct unwind_space space = {&map, 1, i};

		CU_ASSERT_EQUAL(frame_cache_find(&cache, &space, CODE)->table, i + 1);
	}
	for (unsigned i = 0; i < TABLES; i++) {
		CU_ASSERT_EQUAL(frame_cache_table(&cache, tables[i]), i + 1);
		unwind_table_free(tables[i]);
	}
	frame_cache_release(&cache);
}

void
suite_unwind_frame_cache(void)
{
	static const struct unit_case cases[] = {
		{"frames_are_those_of_their_space_and_address", test_spaces},
		{"tables_keep_their_numbers", test_tables},
		{0},
	};

	unit_suite("unwind/frame_cache", cases);
}
