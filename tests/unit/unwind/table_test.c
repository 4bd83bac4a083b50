/* Rows are held against libdw's, which makes them one at a time from the same sections. */
#include "unwind/table.h"

#include "base/mem.h"
#include "symbols/vdso.h"
#include "unit.h"
#include "unwind/made_elf.h"
#include "unwind/own_space.h"
#include "unwind/table_rows.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

void suite_unwind_table(void);

/* Of large files every so-manieth function is looked at. */
#ifndef FUNCTIONS_MAX
#define FUNCTIONS_MAX 3000
#endif

struct reference {
	const struct unwind_machine *machine;
	struct unwind_table *table;
	Dwarf_CFI *cfi;
	size_t rows;
	size_t differences;
};

/* The rule of the set about `reg`; NULL if there is none. */
static const struct unwind_rule *
rule_of(const struct unwind_saves *saves, unsigned reg)
{
	for (size_t i = 0; i < saves->nrules; i++) {
		if (saves->rules[i].reg == reg)
			return &saves->rules[i];
	}
	return NULL;
}

/* libdw's rules are expressions: the CFA, plus an offset, and whether that is the value itself. */
static bool
same_rule(const struct unwind_rule *rule, const Dwarf_Op *ops, size_t nops)
{
	uint64_t offset = 0;
	bool value = nops > 0 && ops[nops - 1].atom == DW_OP_stack_value;

	if (!rule)
		return false;
	if (nops == 1 && ops[0].atom == DW_OP_regx)
		return rule->kind == UNWIND_IN_REGISTER && (uint64_t)rule->value == ops[0].number;
	if (rule->kind == UNWIND_AT_EXPRESSION || rule->kind == UNWIND_EXPRESSION)
		return ops[0].atom == DW_OP_call_frame_cfa && nops > 1 &&
		       value == (rule->kind == UNWIND_EXPRESSION);
	nops -= value;
	if (nops == 2 && ops[1].atom == DW_OP_plus_uconst)
		offset = ops[1].number;
	else if (nops != 1)
		return false;
	return ops[0].atom == DW_OP_call_frame_cfa && (uint64_t)(int64_t)rule->value == offset &&
	       rule->kind == (value ? UNWIND_CFA_PLUS : UNWIND_AT_CFA);
}

static bool
same_register(const struct reference *reference, const struct unwind_saves *saves,
	Dwarf_Frame *frame, unsigned reg)
{
	const struct unwind_rule *rule = rule_of(saves, reg);
	bool kept = saves->kept & (UINT64_C(1) << reg);
	Dwarf_Op memory[3];
	Dwarf_Op *ops;
	size_t nops;

	if (dwarf_frame_register(frame, (int)reg, memory, &ops, &nops) < 0)
		return false;
	/* The stack pointer is the CFA where nothing else is said. */
	if (reg == reference->machine->sp && !rule)
		return nops == 2 && ops[0].atom == DW_OP_call_frame_cfa &&
		       ops[1].atom == DW_OP_stack_value;
	/* Its defaults for x86-64 take register 0 for rbx, which is 3. */
	if (nops == 0 && !rule && reg % 3 == 0 && reg <= 3)
		return true;
	if (nops == 0)
		return !rule && kept == (ops == NULL);
	return same_rule(rule, ops, nops);
}

static bool
same_cfa(const struct unwind_row *row, Dwarf_Frame *frame)
{
	Dwarf_Op *ops;
	size_t nops;

	if (dwarf_frame_cfa(frame, &ops, &nops) < 0)
		return false;
	if (row->cfa_kind == UNWIND_CFA_EXPRESSION)
		return nops > 1;
	return nops == 1 && ops[0].atom == DW_OP_bregx && ops[0].number == row->cfa_reg &&
	       (int64_t)ops[0].number2 == row->cfa_value;
}

static bool
same_row(const struct reference *reference, uint64_t address, Dwarf_Frame *frame)
{
	struct unwind_found found;
	uint64_t offset;
	bool signal;
	int column = dwarf_frame_info(frame, NULL, NULL, &signal);

	if (!unwind_table_offset(reference->table, address, &offset) ||
		!unwind_table_find(reference->table, offset, &found))
		return false;
	if (!same_cfa(found.row, frame) || found.row->return_column != column ||
		found.row->signal != signal)
		return false;
	for (unsigned reg = 0; reg <= reference->machine->return_column; reg++) {
		if (!same_register(reference, found.saves, frame, reg))
			return false;
	}
	return true;
}

/* Every row of libdw's from `start` on: at its first and its last address. */
static void
compare_function(struct reference *reference, uint64_t start, uint64_t size)
{
	for (uint64_t at = start; at < start + size;) {
		Dwarf_Frame *frame;
		Dwarf_Addr from;
		Dwarf_Addr to;
		bool signal;

		if (dwarf_cfi_addrframe(reference->cfi, at, &frame) < 0)
			return;
		(void)dwarf_frame_info(frame, &from, &to, &signal);
		reference->rows++;
		if (!same_row(reference, at, frame) || !same_row(reference, to - 1, frame))
			reference->differences++;
		free(frame);
		at = to > at ? to : at + 1;
	}
}

static const struct unwind_machine *
machine_of(Elf *elf)
{
	GElf_Ehdr header;

	return unwind_machine_find(gelf_getehdr(elf, &header) && header.e_machine == EM_AARCH64
					   ? "aarch64"
					   : "x86_64");
}

/* Returns how many rows were compared. */
static size_t
compare_image(struct elf_image *image, Elf *elf, const char *name)
{
	struct reference reference = {.machine = machine_of(elf)};
	uint64_t start;
	uint64_t size;

	reference.cfi = dwarf_getcfi_elf(elf);
	reference.table = unwind_table_new(reference.machine, image, NULL);
	CU_ASSERT_EQUAL(reference.table != NULL, reference.cfi != NULL);
	if (reference.table && reference.cfi) {
		size_t count = unwind_table_nfunctions(reference.table);

		for (size_t i = 0; i < count; i += 1 + count / FUNCTIONS_MAX) {
			unwind_table_function(reference.table, i, &start, &size);
			compare_function(&reference, start, size);
		}
	}
	if (reference.differences > 0)
		fprintf(stderr, "%s: %zu of %zu rows differ\n", name, reference.differences,
			reference.rows);
	CU_ASSERT_EQUAL(reference.differences, 0);
	unwind_table_free(reference.table);
	if (reference.cfi)
		dwarf_cfi_end(reference.cfi);
	return reference.rows;
}

static size_t
compare_file(const char *path)
{
	struct elf_image image;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t rows = 0;

	if (fd < 0)
		return 0;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);

	if (elf && elf_kind(elf) == ELF_K_ELF && elf_image_open(&image, path))
		rows = compare_image(&image, elf, path);
	elf_end(elf);
	close(fd);
	return rows;
}

static int
compare_loaded(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	if (strchr(info->dlpi_name, '/'))
		*(size_t *)data += compare_file(info->dlpi_name);
	return 0;
}

static void
test_loaded_files(void)
{
	size_t rows = compare_file("/proc/self/exe");

	CU_ASSERT(rows > 0);
	dl_iterate_phdr(compare_loaded, &rows);
}

static void
test_other_programs(void)
{
	static const char *const paths[] = {"/usr/bin/python3", "/usr/bin/node", "/usr/bin/perl",
		"/usr/bin/gdb", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/sbin/ldconfig",
		NULL};
	size_t rows = 0;

	for (size_t i = 0; paths[i]; i++)
		rows += compare_file(paths[i]);
	if (rows == 0)
		unit_skip("none of the programs whose rows are compared is installed");
}

static void
test_vdso(void)
{
	struct elf_image image;
	struct elf_image other;

	if (!vdso_open(&image)) {
		unit_skip("this process has no vDSO");
		return;
	}
	CU_ASSERT_TRUE_FATAL(vdso_open(&other));
	CU_ASSERT(compare_image(&image, other.elf, "vDSO") > 0);
	elf_image_close(&other);
}

/* The same made by hand. */

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
	struct unwind_found found = {&no_row, &no_saves};

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
	CU_ASSERT_EQUAL(found.saves->nrules, 2);
	CU_ASSERT_EQUAL(found.saves->rules[0].reg, 6);
	CU_ASSERT_EQUAL(found.saves->rules[0].value, -16);
	found = found_at(table, TEXT + 0x104 + 99);
	CU_ASSERT_EQUAL(found.row->cfa_reg, 6);
	found = found_at(table, TEXT + 0x17f);
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
	struct buf program;

	buf_init(&program);
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
suite_unwind_table(void)
{
	static const struct unit_case cases[] = {
		{"rows_of_loaded_files_are_libdws", test_loaded_files},
		{"rows_of_other_programs_are_libdws", test_other_programs},
		{"rows_of_the_vdso_are_libdws", test_vdso},
		{"rows_start_where_their_program_says", test_rows_start_where_they_say},
		{"functions_that_were_dropped_are_left_out", test_dropped_functions},
		{"a_file_without_rows_or_of_another_machine_has_no_table", test_wrong_files},
		{"the_debug_file_fills_what_the_program_lacks", test_debug_file},
		{"rows_are_found_without_section_headers", test_without_sections},
		{"threads_share_a_table", test_threads},
		{"hostile_sets_of_rules_are_bounded", test_hostile_sets},
		{0},
	};

	unit_suite("unwind/table", cases);
}
