/*
 * The properties of a processor for unwinding: its registers as DWARF numbers them, as perf samples
 * them, and how a frame looks without rows. The only file that knows architectures.
 *
 * Sources: System V ABI, AMD64 supplement, figure 3.36; DWARF for the Arm 64-bit Architecture,
 * section 4.1; arch/x86 and arch/arm64 include/uapi/asm/perf_regs.h, arch/arm64
 * include/uapi/asm/sigcontext.h and kernel/signal.c of the kernel tree.
 */
#ifndef UNWIND_UNWIND_MACHINE_H
#define UNWIND_UNWIND_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* DWARF numbers that are followed; a rule about any other register is of no use here. */
#define UNWIND_REGS 33

/* Registers by their DWARF number. */
struct unwind_regs {
	uint64_t values[UNWIND_REGS];
	uint64_t known; /* a bit for each register whose value is known */
	uint64_t pc;
};

/* The bit of a register in a set of registers, such as `known`. */
#define REG_BIT(reg) (UINT64_C(1) << (reg))

/* Where a kernel keeps the registers of what a signal interrupted: offsets in its frame. */
struct unwind_signal_frame {
	uint64_t regs_at; /* of the first register; the others follow by DWARF number */
	unsigned nregs;
	uint64_t sp_at;
	uint64_t pc_at;
	uint64_t mark_at; /* of a word that no other frame has there */
	uint64_t mark;
	uint64_t call_at; /* in the trampoline: of the call of the kernel */
};

struct unwind_machine {
	const char *name; /* as uname -m */
	int elf_machine;  /* EM_X86_64 */
	unsigned sp;      /* DWARF numbers */
	unsigned fp;
	unsigned call_argument;  /* the first one of a system call */
	unsigned return_column;  /* of the return address; the link register where there is one */
	bool has_link_register;  /* a leaf's return address is in a register until it is saved */
	uint64_t callee_saved;   /* a bit for each register that a call preserves */
	uint64_t address_mask;   /* bits of a return address that are the address (pointer
				    authentication puts a signature in the others) */
	const int8_t *from_perf; /* DWARF number by bit of sample_regs_user; -1: not followed */
	size_t nfrom_perf;
	int perf_pc;                                    /* the bit of the program counter */
	const struct unwind_signal_frame *signal_frame; /* NULL: rows always describe it */
};

/* The machine of this name ("x86_64", "aarch64"); NULL if it is not known how to unwind there. */
const struct unwind_machine *unwind_machine_find(const char *name);

/*
 * Registers from a sample: `values` has one for each bit of `mask` (sample_regs_user), in order of
 * bits. False where the program counter, the stack pointer or a value is missing; the registers
 * that are present are set all the same.
 */
bool unwind_regs_from_sample(const struct unwind_machine *machine, uint64_t mask,
	const uint64_t *values, size_t nvalues, struct unwind_regs *regs);

#endif
