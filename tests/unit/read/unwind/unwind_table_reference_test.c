/* Rows are compared with libdw's, which makes them one at a time from the same sections. */
#include "elf/elf_image.h"
#include "unit.h"
#include "unwind/unwind_internal.h"
#include "unwind/unwind_table.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <unistd.h>

void suite_unwind_unwind_table_reference(void);

/* For large files only every nth function is checked. */
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

	if (!elf_image_open_vdso(&image)) {
		unit_skip("this process has no vDSO");
		return;
	}
	CU_ASSERT_TRUE_FATAL(elf_image_open_vdso(&other));
	CU_ASSERT(compare_image(&image, other.elf, "vDSO") > 0);
	elf_image_close(&other);
}

void
suite_unwind_unwind_table_reference(void)
{
	static const struct unit_case cases[] = {
		{"rows_of_loaded_files_are_libdws", test_loaded_files},
		{"rows_of_other_programs_are_libdws", test_other_programs},
		{"rows_of_the_vdso_are_libdws", test_vdso},
		{0},
	};

	unit_suite("unwind/unwind_table_reference", cases);
}
