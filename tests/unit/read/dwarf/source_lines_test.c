/* Tables of lines made by hand, in each of their two formats. */
#include "dwarf/dwarf_internal.h"

#include "unit.h"

#include <dwarf.h>
#include <stdlib.h>

void suite_dwarf_source_lines(void);

#define LINE_BASE (-3)
#define LINE_RANGE 12
#define OPCODE_BASE 13
/* Standard opcodes take so many operands. */
static const char operands[OPCODE_BASE - 1] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};

struct maker {
	struct debug_data data;
	struct debug_unit unit;
	struct buf table;
	struct arena arena;
	struct source_lines lines;
	struct source_scratch scratch;
	size_t head_at;
};

static void
begin(struct maker *maker, uint16_t version)
{
	*maker = (struct maker){.unit = {.format = {.version = (uint8_t)version,
						 .address_bytes = 8,
						 .offset_bytes = 4},
					.has_lines = true,
					.folder = "/src/project"}};
	maker->unit.data = &maker->data;
	maker->arena = (struct arena){0};
	maker->table = (struct buf){0};
	buf_put_u32(&maker->table, 0);
	buf_put(&maker->table, &version, sizeof(version));
	if (version >= 5)
		buf_put(&maker->table, (char[]){8, 0}, 2);
	maker->head_at = maker->table.len;
	buf_put_u32(&maker->table, 0);
	buf_putc(&maker->table, 1);
	if (version >= 4)
		buf_putc(&maker->table, 1);
	buf_putc(&maker->table, 1);
	buf_put(&maker->table, (char[]){LINE_BASE, LINE_RANGE, OPCODE_BASE}, 3);
	buf_put(&maker->table, operands, sizeof(operands));
}

/* What follows is the program. */
static void
end_tables(struct maker *maker)
{
	uint32_t len = (uint32_t)(maker->table.len - maker->head_at - 4);

	memcpy(maker->table.data + maker->head_at, &len, sizeof(len));
}

static void
end_table(struct maker *maker)
{
	uint32_t len = (uint32_t)maker->table.len - 4;

	memcpy(maker->table.data, &len, sizeof(len));
	maker->data.sections[DEBUG_LINE] =
		(struct debug_bytes){(const unsigned char *)maker->table.data, maker->table.len};
	debug_data_grant(&maker->data);
}

static void
release(struct maker *maker)
{
	source_lines_release(&maker->lines);
	free(maker->scratch.rows);
	buf_release(&maker->table);
	arena_release(&maker->arena);
}

static void
put_address(struct buf *program, uint64_t address)
{
	buf_put(program, (char[]){0, 9, DW_LNE_set_address}, 3);
	buf_put_u64(program, address);
}

/* One opcode for both steps: DWARF 5, section 6.2.5.1. */
static void
put_special(struct buf *program, int lines, int bytes)
{
	buf_putc(program, (char)(lines - LINE_BASE + LINE_RANGE * bytes + OPCODE_BASE));
}

static void
put_end(struct buf *program, char bytes)
{
	buf_put(program, (char[]){DW_LNS_advance_pc, bytes, 0, 1, DW_LNE_end_sequence}, 5);
}

static void
expect_path(const struct maker *maker, uint64_t number, const char *expected)
{
	struct buf path = {0};

	CU_ASSERT_EQUAL(source_lines_path(&maker->lines, number, &path), *expected != '\0');
	UNIT_STR_EQ(buf_text(&path), expected);
	buf_release(&path);
}

static void
test_old_files(void)
{
	static const char tables[] = "include\0/usr/include\0\0"
				     "main.c\0\0\0\0"
				     "part.h\0\1\0\0"
				     "stdio.h\0\2\0\0"
				     "/abs.c\0\1\0\0"
				     "odd.h\0\11\0\0";
	struct maker maker;

	begin(&maker, 4);
	buf_put(&maker.table, tables, sizeof(tables));
	end_tables(&maker);
	end_table(&maker);
	CU_ASSERT(source_lines_read_files(&maker.lines, &maker.unit));
	expect_path(&maker, 0, "");
	expect_path(&maker, 1, "/src/project/main.c");
	expect_path(&maker, 2, "/src/project/include/part.h");
	expect_path(&maker, 3, "/usr/include/stdio.h");
	expect_path(&maker, 4, "/abs.c");
	expect_path(&maker, 5, "odd.h"); /* in a folder that there is not */
	expect_path(&maker, 6, "");
	expect_path(&maker, UINT64_MAX, "");
	release(&maker);
}

static void
test_new_files(void)
{
	static const char strings[] = "main.c\0part.h";
	struct maker maker;

	begin(&maker, 5);
	maker.data.sections[DEBUG_LINE_STR] =
		(struct debug_bytes){(const unsigned char *)strings, sizeof(strings)};
	buf_put(&maker.table, (char[]){1, DW_LNCT_path, DW_FORM_string, 2}, 4);
	buf_put(&maker.table, "/src/project\0include", 21);
	buf_put(&maker.table,
		(char[]){3, DW_LNCT_path, DW_FORM_line_strp, DW_LNCT_directory_index, DW_FORM_udata,
			DW_LNCT_MD5, DW_FORM_data16, 2},
		8);
	buf_put_u32(&maker.table, 0);
	buf_put_zeros(&maker.table, 17);
	buf_put_u32(&maker.table, 7);
	buf_putc(&maker.table, 1);
	buf_put_zeros(&maker.table, 16);
	end_tables(&maker);
	end_table(&maker);
	CU_ASSERT(source_lines_read_files(&maker.lines, &maker.unit));
	expect_path(&maker, 0, "/src/project/main.c");
	expect_path(&maker, 1, "/src/project/include/part.h");
	expect_path(&maker, 2, "");
	release(&maker);
}

static void
test_rows(void)
{
	struct buf *program;
	struct maker maker;

	begin(&maker, 4);
	program = &maker.table;
	buf_put_zeros(program, 2);
	end_tables(&maker);
	put_address(program, 0x2000);
	buf_put(program, (char[]){DW_LNS_advance_line, 9, DW_LNS_copy}, 3); /* 0x2000: 10 */
	put_special(program, 2, 4);                                         /* 0x2004: 12 */
	put_special(program, -1, 4);                                        /* 0x2008: 11 */
	put_special(program, 3, 0);                         /* the same address: 14 */
	buf_put(program, (char[]){DW_LNS_const_add_pc}, 1); /* by 20 */
	put_special(program, 1, 0);                         /* 0x201c: 15 */
	buf_put(program, (char[]){DW_LNS_fixed_advance_pc, 0, 1, DW_LNS_set_column, 7}, 5);
	put_special(program, 1, 0); /* 0x211c: 16 */
	put_end(program, 4);
	put_address(program, 0x1000);
	buf_putc(program, DW_LNS_copy); /* 0x1000: 1 */
	put_end(program, 2);
	end_table(&maker);
	CU_ASSERT(source_lines_read_rows(&maker.lines, &maker.unit, &maker.scratch, &maker.arena));
	CU_ASSERT_EQUAL(source_lines_find(&maker.lines, 0x1fff), 0);
	CU_ASSERT_EQUAL(source_lines_find(&maker.lines, 0x2000), 10);
	CU_ASSERT_EQUAL(source_lines_find(&maker.lines, 0x2003), 10);
	CU_ASSERT_EQUAL(source_lines_find(&maker.lines, 0x2004), 12);
	CU_ASSERT_EQUAL(source_lines_find(&maker.lines, 0x2008), 14);
	CU_ASSERT_EQUAL(source_lines_find(&maker.lines, 0x201b), 14);
	CU_ASSERT_EQUAL(source_lines_find(&maker.lines, 0x201c), 15);
	CU_ASSERT_EQUAL(source_lines_find(&maker.lines, 0x211f), 16);
	CU_ASSERT_EQUAL(source_lines_find(&maker.lines, 0x2120), 0);
	CU_ASSERT_EQUAL(source_lines_find(&maker.lines, 0x1001), 1);
	CU_ASSERT_EQUAL(source_lines_find(&maker.lines, 0x1002), 0);
	release(&maker);
}

/* As linkers leave behind of functions that they dropped, and worse. */
static void
test_damaged_sequence(void)
{
	struct buf *program;
	struct maker maker;

	begin(&maker, 4);
	program = &maker.table;
	buf_put_zeros(program, 2);
	end_tables(&maker);
	put_address(program, 0x3000);
	buf_putc(program, DW_LNS_copy);
	put_address(program, 0x2000); /* backwards */
	buf_putc(program, DW_LNS_copy);
	put_end(program, 4);
	put_address(program, 0x5000);
	buf_putc(program, DW_LNS_copy);
	put_end(program, 0); /* of no bytes */
	put_address(program, 0x4000);
	put_special(program, 1, 0);
	put_end(program, 4);
	put_address(program, 0x6000);
	buf_putc(program, DW_LNS_copy); /* without an end */
	end_table(&maker);
	CU_ASSERT(source_lines_read_rows(&maker.lines, &maker.unit, &maker.scratch, &maker.arena));
	CU_ASSERT_EQUAL(maker.lines.nsequences, 1);
	CU_ASSERT_EQUAL(source_lines_find(&maker.lines, 0x3000), 0);
	CU_ASSERT_EQUAL(source_lines_find(&maker.lines, 0x2000), 0);
	CU_ASSERT_EQUAL(source_lines_find(&maker.lines, 0x4000), 2);
	CU_ASSERT_EQUAL(source_lines_find(&maker.lines, 0x5000), 0);
	CU_ASSERT_EQUAL(source_lines_find(&maker.lines, 0x6000), 0);
	release(&maker);
}

static void
test_no_table(void)
{
	struct maker maker;

	begin(&maker, 4);
	buf_put_zeros(&maker.table, 2);
	end_tables(&maker);
	end_table(&maker);
	maker.unit.has_lines = false;
	CU_ASSERT(!source_lines_read_files(&maker.lines, &maker.unit));
	maker.unit.has_lines = true;
	maker.unit.lines = 4096;
	CU_ASSERT(!source_lines_read_files(&maker.lines, &maker.unit));
	maker.unit.lines = 0;
	maker.table.data[4] = 6; /* of a version to come */
	CU_ASSERT(!source_lines_read_files(&maker.lines, &maker.unit));
	CU_ASSERT(!source_lines_read_rows(&maker.lines, &maker.unit, &maker.scratch, &maker.arena));
	CU_ASSERT_EQUAL(source_lines_find(&maker.lines, 0), 0);
	maker.table.data[4] = 4;
	for (size_t len = 0; len < maker.head_at + 4; len++) {
		maker.data.sections[DEBUG_LINE].len = len;
		CU_ASSERT(!source_lines_read_files(&maker.lines, &maker.unit));
	}
	release(&maker);
}

void
suite_dwarf_source_lines(void)
{
	static const struct unit_case cases[] = {
		{"files_until_dwarf_4_lie_in_numbered_folders", test_old_files},
		{"files_since_dwarf_5_come_in_the_columns_that_the_table_names", test_new_files},
		{"each_address_has_the_line_of_the_last_row_before_it", test_rows},
		{"sequences_that_run_backwards_or_have_no_end_are_left_out", test_damaged_sequence},
		{"without_a_sound_table_no_line_is_known", test_no_table},
		{NULL, NULL},
	};

	unit_suite("dwarf/source_lines", cases);
}
