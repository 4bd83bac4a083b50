#include "unwind/unwind_machine.h"

#include <elf.h>
#include <string.h>

/* The order of enum perf_event_x86_regs: flags and segments are not followed. */
static const int8_t x86_64_from_perf[] = {
	0, 3, 2, 1, 4, 5, 6, 7, 16, -1, -1, -1, -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15};

/* x0 to x30 and the stack pointer have the same numbers in both; the program counter follows. */
static const int8_t aarch64_from_perf[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
	17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};

/*
 * struct rt_sigframe: 128 bytes of siginfo, then the ucontext, whose machine context is at 176. In
 * that, behind the fault's address, are x0 to x30, sp, pc and pstate; at its offset 288 the records
 * of further registers begin, of which the first is always that of the vector registers: its magic
 * number and its size. The trampoline is `mov x8, #139; svc #0`.
 */
#define AARCH64_CONTEXT (128 + 176)
static const struct unwind_signal_frame aarch64_signal_frame = {
	.regs_at = AARCH64_CONTEXT + 8,
	.nregs = 31,
	.sp_at = AARCH64_CONTEXT + 256,
	.pc_at = AARCH64_CONTEXT + 264,
	.mark_at = AARCH64_CONTEXT + 288,
	.mark = UINT64_C(528) << 32 | 0x46508001,
	.call_at = 4,
};

static const struct unwind_machine machines[] = {
	{
		.name = "x86_64",
		.elf_machine = EM_X86_64,
		.sp = 7,
		.fp = 6,
		.call_argument = 5,
		.return_column = 16,
		/* rbx, rbp, r12 to r15; the stack pointer is the CFA. */
		.callee_saved = REG_BIT(3) | REG_BIT(6) | REG_BIT(12) | REG_BIT(13) | REG_BIT(14) |
				REG_BIT(15),
		.address_mask = UINT64_MAX,
		.from_perf = x86_64_from_perf,
		.nfrom_perf = sizeof(x86_64_from_perf),
		.perf_pc = 8,
	},
	{
		.name = "aarch64",
		.elf_machine = EM_AARCH64,
		.sp = 31,
		.fp = 29,
		.call_argument = 0,
		.return_column = 30,
		.has_link_register = true,
		/* x19 to x29. */
		.callee_saved = REG_BIT(30) - REG_BIT(19),
		/* User addresses have 48 bits unless a program asks for more. */
		.address_mask = REG_BIT(48) - 1,
		.from_perf = aarch64_from_perf,
		.nfrom_perf = sizeof(aarch64_from_perf),
		.perf_pc = 32,
		.signal_frame = &aarch64_signal_frame,
	},
};

const struct unwind_machine *
unwind_machine_find(const char *name)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		if (strcmp(machines[i].name, name) == 0)
			return &machines[i];
	}
	return NULL;
}

bool
unwind_regs_from_sample(const struct unwind_machine *machine, uint64_t mask, const uint64_t *values,
	size_t nvalues, struct unwind_regs *regs)
{
	bool has_pc = false;
	size_t at = 0;

	regs->known = 0;
	for (; mask != 0; mask &= mask - 1) {
		size_t bit = (size_t)__builtin_ctzll(mask);

		if (at == nvalues)
			return false;
		uint64_t value = values[at++];

		if (bit == (size_t)machine->perf_pc) {
			regs->pc = value;
			has_pc = true;
		}
		int reg = bit < machine->nfrom_perf ? machine->from_perf[bit] : -1;

		if (reg >= 0) {
			regs->values[reg] = value;
			regs->known |= REG_BIT(reg);
		}
	}
	return has_pc && (regs->known & REG_BIT(machine->sp));
}
