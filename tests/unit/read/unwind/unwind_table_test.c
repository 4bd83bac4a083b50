/* Tables of files made by hand; unwind_table_reference_test.c has those of real ones. */
#include "unwind/unwind_table.h"

#include "base/mem.h"
#include "unit.h"
#include "unwind/made_elf.h"
#include "unwind/unwind_internal.h"

#include <dwarf.h>
#include <pthread.h>
#include <stdlib.h>

void suite_unwind_unwind_table(void);

#define TEXT MADE_ELF_TEXT

static struct unwind_table *
table_of(struct made_elf *made, const char *machine)
{
	struct elf_image image;
	const struct unwind_machine *its = unwind_machine_find(machine);

	made_elf_finish(made, its->elf_machine);
	CU_ASSERT_TRUE_FATAL(elf_image_open_memory(&image, made->bytes.data, made->bytes.len));
	return unwind_table_new(its, &image, NULL);
}

static bool
find(struct unwind_table *table, uint64_t address, struct unwind_found *found)
{
	uint64_t offset;

	return unwind_table_offset(table, address, &offset) &&
	       unwind_table_find(table, offset, found);
}

/* The same where there must be one. */
static struct unwind_found
found_at(struct unwind_table *table, uint64_t address)
{
	static const struct unwind_row no_row;
	static const struct unwind_saves no_saves;
	struct unwind_found found = {.row = &no_row, .saves = &no_saves};

	CU_ASSERT_TRUE(find(table, address, &found));
	return found;
}

static void
test_rows_start_where_they_say(void)
{
	static const unsigned char program[] = {DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16,
		DW_CFA_offset | 6, 2, DW_CFA_advance_loc | 3, DW_CFA_def_cfa_register, 6,
		DW_CFA_advance_loc1, 100, DW_CFA_def_cfa, 7, 8};
	struct made_elf made;
	struct unwind_found found;

	made_elf_init(&made);
	made_elf_function(&made, TEXT + 0x100, 0x80, program, sizeof(program));
	struct unwind_table *table = table_of(&made, "x86_64");

	CU_ASSERT_PTR_NOT_NULL_FATAL(table);
	CU_ASSERT_EQUAL(unwind_table_nfunctions(table), 1);
	CU_ASSERT_EQUAL(unwind_table_nrows(table), 0);
	CU_ASSERT_FALSE(find(table, TEXT + 0xff, &found));
	CU_ASSERT_FALSE(find(table, TEXT + 0x180, &found));
	found = found_at(table, TEXT + 0x100);
	CU_ASSERT_EQUAL(found.row->cfa_reg, 7);
	CU_ASSERT_EQUAL(found.row->cfa_value, 8);
	CU_ASSERT_EQUAL(found.saves->nrules, 1);
	found = found_at(table, TEXT + 0x101);
	CU_ASSERT_EQUAL(found.row->cfa_value, 16);
	CU_ASSERT_EQUAL(found.end - found.first, 3);
	CU_ASSERT_EQUAL(found_at(table, TEXT + 0x103).first, found.first);
	CU_ASSERT_EQUAL(found_at(table, TEXT + 0x104).first, found.end);
	CU_ASSERT_EQUAL(found.saves->nrules, 2);
	CU_ASSERT_EQUAL(found.saves->rules[0].reg, 6);
	CU_ASSERT_EQUAL(found.saves->rules[0].value, -16);
	found = found_at(table, TEXT + 0x104 + 99);
	CU_ASSERT_EQUAL(found.row->cfa_reg, 6);
	found = found_at(table, TEXT + 0x17f);
	CU_ASSERT_EQUAL(found.end - found.first, 0x80 - 104);
	CU_ASSERT_EQUAL(found.row->cfa_reg, 7);
	CU_ASSERT_EQUAL(unwind_table_nrows(table), 4);
	unwind_table_free(table);
	made_elf_release(&made);
}

static void
test_dropped_functions(void)
{
	struct made_elf made;
	struct unwind_found found;

	made_elf_init(&made);
	/* Out of order, one twice, one that the linker left out, one outside of code. */
	made_elf_function(&made, TEXT + 0x300, 0x10, NULL, 0);
	made_elf_function(&made, TEXT + 0x200, 0x10, NULL, 0);
	made_elf_function(&made, TEXT + 0x200, 0x20, NULL, 0);
	made_elf_function(&made, 0, 0x10, NULL, 0);
	made_elf_function(&made, TEXT + 0x7000000, 0x10, NULL, 0);
	made_elf_function(&made, TEXT + 0x400, 0, NULL, 0);
	struct unwind_table *table = table_of(&made, "x86_64");

	CU_ASSERT_PTR_NOT_NULL_FATAL(table);
	CU_ASSERT_EQUAL(unwind_table_nfunctions(table), 2);
	CU_ASSERT_TRUE(find(table, TEXT + 0x20f, &found));
	CU_ASSERT_FALSE(find(table, TEXT + 0x210, &found));
	CU_ASSERT_TRUE(find(table, TEXT + 0x300, &found));
	unwind_table_free(table);
	made_elf_release(&made);
}

static void
test_wrong_files(void)
{
	struct made_elf made;

	made_elf_init(&made);
	CU_ASSERT_PTR_NULL(table_of(&made, "x86_64"));
	made_elf_release(&made);
	made_elf_init(&made);
	made_elf_function(&made, TEXT, 0x10, NULL, 0);
	made_elf_finish(&made, EM_AARCH64);
	struct elf_image image;

	CU_ASSERT_TRUE_FATAL(elf_image_open_memory(&image, made.bytes.data, made.bytes.len));
	CU_ASSERT_PTR_NULL(unwind_table_new(unwind_machine_find("x86_64"), &image, NULL));
	CU_ASSERT_PTR_NULL(image.elf);
	made_elf_release(&made);
}

static void
test_debug_file(void)
{
	static const unsigned char program[] = {DW_CFA_def_cfa_offset, 24};
	static const unsigned char hidden[] = {DW_CFA_def_cfa_offset, 32};
	struct made_elf made;
	struct made_elf debug;
	struct elf_image image;
	struct elf_image debug_image;
	struct unwind_found found;
	const struct unwind_machine *machine = unwind_machine_find("x86_64");

	made_elf_init(&made);
	made_elf_function(&made, TEXT, 0x10, NULL, 0);
	made_elf_finish(&made, EM_X86_64);
	made_elf_init(&debug);
	debug.debug_frame = true;
	made_elf_function(&debug, TEXT, 0x10, hidden, sizeof(hidden));
	made_elf_function(&debug, TEXT + 0x20, 0x10, program, sizeof(program));
	made_elf_finish(&debug, EM_X86_64);
	CU_ASSERT_TRUE_FATAL(elf_image_open_memory(&image, made.bytes.data, made.bytes.len));
	CU_ASSERT_TRUE_FATAL(
		elf_image_open_memory(&debug_image, debug.bytes.data, debug.bytes.len));
	struct unwind_table *table = unwind_table_new(machine, &image, &debug_image);

	CU_ASSERT_PTR_NOT_NULL_FATAL(table);
	CU_ASSERT_EQUAL(unwind_table_nfunctions(table), 2);
	found = found_at(table, TEXT);
	CU_ASSERT_EQUAL(found.row->cfa_value, 8);
	found = found_at(table, TEXT + 0x20);
	CU_ASSERT_EQUAL(found.row->cfa_value, 24);
	unwind_table_free(table);
	made_elf_release(&made);
	made_elf_release(&debug);
}

/* A copy of the vDSO's memory can end before its section headers do. */
static void
test_without_sections(void)
{
	struct made_elf made;
	struct unwind_found found;

	made_elf_init(&made);
	made_elf_function(&made, TEXT + 0x40, 0x10, NULL, 0);
	made_elf_finish(&made, EM_X86_64);
	struct elf_image image;

	CU_ASSERT_TRUE_FATAL(
		elf_image_open_memory(&image, made.bytes.data, made_elf_before_sections(&made)));
	struct unwind_table *table = unwind_table_new(unwind_machine_find("x86_64"), &image, NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(table);
	CU_ASSERT_TRUE(find(table, TEXT + 0x40, &found));
	unwind_table_free(table);
	made_elf_release(&made);
}

#define THREADS 4
#define FUNCTIONS 2000

struct reading {
	struct unwind_table *table;
	size_t good; /* functions with the right row */
};

static void *
read_all(void *data)
{
	struct reading *reading = data;
	struct unwind_found found;

	for (unsigned i = 0; i < FUNCTIONS; i++) {
		int32_t expected = (int32_t)(i % 100 * 8);

		if (find(reading->table, TEXT + (uint64_t)i * 16, &found) &&
			found.row->cfa_value == expected && found.saves->nrules == 2 &&
			found.saves->rules[0].value == -8 * (int)(i % 50))
			reading->good++;
	}
	return NULL;
}

static void
test_threads(void)
{
	pthread_t threads[THREADS];
	struct reading readings[THREADS];
	struct made_elf made;

	made_elf_init(&made);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		unsigned offset = i % 100 * 8;
		const unsigned char program[] = {DW_CFA_def_cfa_offset,
			(unsigned char)(0x80 | (offset & 0x7f)), (unsigned char)(offset >> 7),
			DW_CFA_offset | 3, (unsigned char)(i % 50)};

		made_elf_function(&made, TEXT + (uint64_t)i * 16, 16, program, sizeof(program));
	}
	struct unwind_table *table = table_of(&made, "x86_64");

	CU_ASSERT_PTR_NOT_NULL_FATAL(table);
	for (unsigned i = 0; i < THREADS; i++) {
		readings[i] = (struct reading){.table = table};
		pthread_create(&threads[i], NULL, read_all, &readings[i]);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		CU_ASSERT_EQUAL(readings[i].good, FUNCTIONS);
	}
	CU_ASSERT_EQUAL(unwind_table_nrows(table), FUNCTIONS);
	unwind_table_make_all(table);
	CU_ASSERT_EQUAL(unwind_table_nrows(table), FUNCTIONS);
	unwind_table_free(table);
	made_elf_release(&made);
}

/* A program that makes a new set of rules in every row gets no more memory than it may have. */
static void
test_hostile_sets(void)
{
	struct made_elf made;
	struct unwind_found found;
	struct buf program = {0};

	for (unsigned reg = 0; reg < 17; reg++) {
		buf_putc(&program, (char)(DW_CFA_offset | reg));
		buf_putc(&program, 1);
	}
	for (unsigned i = 0; i < 400000; i++) {
		buf_putc(&program, (char)(DW_CFA_advance_loc | 1));
		buf_putc(&program, (char)(DW_CFA_offset | (i % 16)));
		buf_putc(&program, (char)(0x80 | (i * 7 & 0x7f)));
		buf_putc(&program, (char)(0x80 | (i >> 7 & 0x7f)));
		buf_putc(&program, (char)(i >> 14));
	}
	made_elf_init(&made);
	made_elf_function(
		&made, TEXT, MADE_ELF_TEXT_BYTES, (const unsigned char *)program.data, program.len);
	struct unwind_table *table = table_of(&made, "x86_64");

	CU_ASSERT_PTR_NOT_NULL_FATAL(table);
	CU_ASSERT_TRUE(find(table, TEXT + 10, &found));
	CU_ASSERT_FALSE(find(table, TEXT + 399990, &found));
	unwind_table_free(table);
	made_elf_release(&made);
	buf_release(&program);
}

void
suite_unwind_unwind_table(void)
{
	static const struct unit_case cases[] = {
		{"rows_start_where_their_program_says", test_rows_start_where_they_say},
		{"functions_that_were_dropped_are_left_out", test_dropped_functions},
		{"a_file_without_rows_or_of_another_machine_has_no_table", test_wrong_files},
		{"the_debug_file_fills_what_the_program_lacks", test_debug_file},
		{"rows_are_found_without_section_headers", test_without_sections},
		{"threads_share_a_table", test_threads},
		{"hostile_sets_of_rules_are_bounded", test_hostile_sets},
		{0},
	};

	unit_suite("unwind/unwind_table", cases);
}
