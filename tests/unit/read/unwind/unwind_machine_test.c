#include "unwind/unwind_machine.h"

#include "unit.h"

#include <elf.h>

void suite_unwind_unwind_machine(void);

static void
test_names(void)
{
	const struct unwind_machine *machine = unwind_machine_find("x86_64");

	CU_ASSERT_EQUAL(machine->elf_machine, EM_X86_64);
	CU_ASSERT_PTR_NOT_NULL(unwind_machine_find("aarch64"));
	CU_ASSERT_PTR_NULL(unwind_machine_find("riscv64"));
	CU_ASSERT_PTR_NULL(unwind_machine_find(""));
}

static void
test_x86_64(void)
{
	const struct unwind_machine *machine = unwind_machine_find("x86_64");
	/* What perf record --call-graph dwarf asks for: all but ds, es, fs and gs. */
	uint64_t mask = 0xff0fff;
	uint64_t values[20];
	struct unwind_regs regs;

	for (unsigned i = 0; i < 20; i++)
		values[i] = 100 + i;
	CU_ASSERT_TRUE_FATAL(unwind_regs_from_sample(machine, mask, values, 20, &regs));
	CU_ASSERT_EQUAL(regs.pc, 108);
	CU_ASSERT_EQUAL(regs.values[16], 108);
	CU_ASSERT_EQUAL(regs.values[machine->sp], 107);
	CU_ASSERT_EQUAL(regs.values[machine->fp], 106);
	/* rax, rbx, rcx, rdx: DWARF has another order. */
	CU_ASSERT_EQUAL(regs.values[0], 100);
	CU_ASSERT_EQUAL(regs.values[3], 101);
	CU_ASSERT_EQUAL(regs.values[2], 102);
	CU_ASSERT_EQUAL(regs.values[1], 103);
	CU_ASSERT_EQUAL(regs.values[8], 112);
	CU_ASSERT_EQUAL(regs.values[15], 119);
	CU_ASSERT_EQUAL(regs.known, 0x1ffff);
}

static void
test_aarch64(void)
{
	const struct unwind_machine *machine = unwind_machine_find("aarch64");
	uint64_t values[33];
	struct unwind_regs regs;

	for (unsigned i = 0; i < 33; i++)
		values[i] = 100 + i;
	CU_ASSERT_TRUE_FATAL(
		unwind_regs_from_sample(machine, UINT64_C(0x1ffffffff), values, 33, &regs));
	CU_ASSERT_EQUAL(regs.pc, 132);
	CU_ASSERT_EQUAL(regs.values[machine->sp], 131);
	CU_ASSERT_EQUAL(regs.values[machine->return_column], 130);
	CU_ASSERT_EQUAL(regs.values[machine->fp], 129);
	CU_ASSERT_EQUAL(machine->callee_saved, UINT64_C(0x3ff80000));
}

static void
test_missing(void)
{
	const struct unwind_machine *machine = unwind_machine_find("x86_64");
	uint64_t values[3] = {1, 2, 3};
	struct unwind_regs regs;

	/* The frame pointer, the stack pointer and the program counter do. */
	CU_ASSERT_TRUE(unwind_regs_from_sample(machine, 0x1c0, values, 3, &regs));
	CU_ASSERT_EQUAL(regs.known, 0x100c0);
	CU_ASSERT_FALSE(unwind_regs_from_sample(machine, 0x1c0, values, 2, &regs));
	CU_ASSERT_FALSE(unwind_regs_from_sample(machine, 0x0c0, values, 3, &regs));
	CU_ASSERT_FALSE(unwind_regs_from_sample(machine, 0x140, values, 3, &regs));
	CU_ASSERT_FALSE(unwind_regs_from_sample(machine, 0, values, 0, &regs));
	/* Bits of registers that are not known here take their values with them. */
	CU_ASSERT_FALSE(
		unwind_regs_from_sample(machine, 0x180 | UINT64_C(1) << 63, values, 2, &regs));
	CU_ASSERT_TRUE(
		unwind_regs_from_sample(machine, 0x180 | UINT64_C(1) << 63, values, 3, &regs));
}

void
suite_unwind_unwind_machine(void)
{
	static const struct unit_case cases[] = {
		{"machines_are_found_by_name", test_names},
		{"registers_of_x86_64_are_renumbered", test_x86_64},
		{"registers_of_aarch64_are_taken_over", test_aarch64},
		{"samples_without_stack_or_program_counter_are_refused", test_missing},
		{0},
	};

	unit_suite("unwind/unwind_machine", cases);
}
