/*
 * Runs the programs of call frame information: a function's instructions become its rows.
 *
 * Source: DWARF 5, sections 6.4.2 and 6.4.3; GNU and AArch64 instructions from binutils/dwarf.c and
 * the AADWARF64 ABI.
 */
#ifndef UNWIND_CFI_ROWS_H
#define UNWIND_CFI_ROWS_H

#include "unwind/cfi.h"
#include "unwind/saves.h"
#include "unwind/unwind_machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum unwind_cfa_kind {
	UNWIND_CFA_NONE,       /* it cannot be known here */
	UNWIND_CFA_REGISTER,   /* register `cfa_reg` plus `cfa_value` */
	UNWIND_CFA_EXPRESSION, /* what the expression at `cfa_value` says */
};

/* How to get from a function's registers to its caller's, from an address on to the next row's. */
struct unwind_row {
	uint32_t start; /* from the function's start */
	int32_t cfa_value;
	uint32_t saves; /* of struct saves */
	uint8_t cfa_kind;
	uint8_t cfa_reg;
	uint8_t return_column; /* the register that holds the return address in the caller */
	bool signal;           /* the caller was interrupted: its address is no return address */
};

/* The rows of the function run last. */
struct cfi_rows {
	struct unwind_row *rows; /* by start */
	size_t count;
	size_t capacity;
};

/*
 * Expressions are named by their position: that of their length in the section, with the highest
 * bit set for .debug_frame.
 */
#define CFI_EXPRESSION_DEBUG (UINT32_C(1) << 31)

struct cfi_program {
	const struct unwind_machine *machine;
	const struct cfi_section *section;
	const struct cfi_cie *cie;
	const struct cfi_fde *fde;
};

/*
 * Replaces `rows`. Where an instruction cannot be followed the rest of the function gets a row of
 * kind UNWIND_CFA_NONE.
 */
void cfi_rows_run(const struct cfi_program *program, struct saves *saves, struct cfi_rows *rows);

#endif
