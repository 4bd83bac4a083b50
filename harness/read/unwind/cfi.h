/*
 * The entries of .eh_frame and .debug_frame: the functions, and the instructions that make each
 * one's rows.
 *
 * Sources: DWARF 5, section 6.4.1; LSB Core 5.0, section 10.6; for the augmentations "eh" and "B"
 * binutils/dwarf.c and the AADWARF64 ABI.
 */
#ifndef UNWIND_CFI_H
#define UNWIND_CFI_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "dwarf/cursor.h"
#include "elf/elf_image.h"
#include "unwind/unwind_machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Positions in a section are kept in 31 bits. */
#define CFI_SECTION_MAX INT32_MAX

struct cfi_section {
	const unsigned char *bytes; /* borrowed */
	size_t len;                 /* at most CFI_SECTION_MAX */
	uint64_t address;           /* of the first byte, as the file is linked */
	bool eh;                    /* .eh_frame */
	void *owned;                /* the same bytes, where cfi_unload() frees them */
};

/* A common information entry, shared by functions. */
struct cfi_cie {
	uint32_t at;      /* its position */
	bool usable;      /* all of it was understood */
	bool sized;       /* 'z': augmentation data says its size */
	bool signal;      /* 'S': the frame of a signal handler's caller */
	uint8_t encoding; /* 'R': of addresses, DW_EH_PE_... */
	uint8_t return_column;
	uint64_t code_factor;
	int64_t data_factor;
	struct cursor instructions;
};

/* A function: a frame description entry. */
struct cfi_fde {
	uint32_t at;
	uint64_t start; /* its address */
	uint64_t size;
	struct cursor instructions;
};

#define CFI_CIES 16

/* An iterator over a section's functions; initially all zeros but for `section`. */
struct cfi_reader {
	const struct cfi_section *section;
	size_t next;
	struct cfi_cie cies[CFI_CIES]; /* those read last, by position */
	bool have[CFI_CIES];
};

/* The next function whose entry can be used; false at the end. */
bool cfi_next(struct cfi_reader *reader, struct cfi_fde *fde, const struct cfi_cie **cie);
/* The function whose entry is at position `at`. */
bool cfi_read(
	struct cfi_reader *reader, uint32_t at, struct cfi_fde *fde, const struct cfi_cie **cie);

/*
 * Reads an address in one of the encodings of .eh_frame (LSB Core 5.0, section 10.5.1), and
 * resolves one that is relative to its own position. False where it cannot be known without running
 * the program.
 */
bool cfi_address(const struct cfi_section *section, struct cursor *cursor, uint8_t encoding,
	uint64_t *address);

/*
 * Gets .eh_frame and .debug_frame out of ELF files.
 *
 * The bytes are copied: a file that is cut short while it is read is an error, and one that is
 * replaced later changes nothing.
 */

/*
 * Each fills in `section`, whose bytes cfi_unload() frees; false, and nothing to free, where there
 * is none. .eh_frame is found by its section or, where the file has no sections (or, the vDSO, not
 * all of its bytes), by PT_GNU_EH_FRAME.
 */
bool cfi_load_eh_frame(const struct elf_image *image, struct cfi_section *section);
bool cfi_load_debug_frame(struct elf_image *image, struct cfi_section *section);
void cfi_unload(struct cfi_section *section);

/*
 * Entries of .eh_frame that we make ourselves: one for all, cfi_put_cie(), then those of functions,
 * each ended by cfi_end_entry().
 */

/*
 * Appends entries for the functions of a Go program without .debug_frame, by its own table
 * (elf/go_table.h). False where it has none, or the machine is not x86-64: on others frame pointers
 * are tried.
 */
bool go_rows_add(const struct unwind_machine *machine, const struct elf_image *image,
	struct cfi_section *section);

/*
 * Rows for the stubs that jump to other modules, where the linker wrote none: lld leaves them out,
 * and so do static programs for their indirect functions. On AArch64 no linker writes any.
 */

/*
 * Appends an entry for each section of stubs to `section`, of this file for `machine` (where two
 * entries are about the same address, the linker's is first). `section` may be empty; cfi_unload()
 * frees what is added, too.
 */
void stubs_add(const struct unwind_machine *machine, const struct elf_image *image,
	struct cfi_section *section);

/*
 * Runs the programs of call frame information: a function's instructions become its rows.
 *
 * Source: DWARF 5, sections 6.4.2 and 6.4.3; GNU and AArch64 instructions from binutils/dwarf.c and
 * the AADWARF64 ABI.
 */

/*
 * Where a function keeps its caller's registers: sets of rules, each distinct one stored once.
 *
 * Nearly all rows of a program share a few hundred of them.
 */

enum unwind_rule_kind {
	UNWIND_AT_CFA,        /* in memory at the CFA plus `value` */
	UNWIND_CFA_PLUS,      /* the CFA plus `value` itself */
	UNWIND_IN_REGISTER,   /* in register `value` */
	UNWIND_AT_EXPRESSION, /* in memory at the address that the expression at `value` gives */
	UNWIND_EXPRESSION,    /* the value of the expression at `value` */
};

struct unwind_rule {
	uint8_t reg; /* whose value in the caller this is */
	uint8_t kind;
	int32_t value;
};

struct unwind_saves {
	uint64_t kept;      /* registers that have the same value in the caller */
	uint64_t undefined; /* registers whose value is said to be lost */
	uint16_t nrules;
	bool plain;     /* all rules are UNWIND_AT_CFA */
	int32_t lowest; /* of the rules of a plain set: the smallest and the largest value */
	int32_t highest;
	struct unwind_rule rules[];
};

/* The contents of a set. */
struct saves_key {
	uint64_t kept;
	uint64_t undefined;
	const struct unwind_rule *rules; /* by register */
	size_t nrules;
};

/* Sets are in chunks that never move: one thread adds sets while others read earlier ones. */
#define SAVES_CHUNKS 20
#define SAVES_FIRST_CHUNK 64

/* Initially all zeros but for the limit. */
struct saves {
	struct arena arena;
	struct unwind_saves **chunks[SAVES_CHUNKS]; /* each twice as large as the one before */
	struct map numbers;                         /* by contents */
	uint32_t count;
	size_t limit_bytes; /* for all sets: hostile programs can ask for a new one in every row */
};

void saves_release(struct saves *saves);

#define SAVES_FULL UINT32_MAX

/* The number of the set, added if it is new; SAVES_FULL where there is no room for it. */
uint32_t saves_intern(struct saves *saves, const struct saves_key *key);

/* The chunk that holds set `number`, and its place there. */
static inline const struct unwind_saves *
saves_get(const struct saves *saves, uint32_t number)
{
	uint32_t part = number / SAVES_FIRST_CHUNK + 1;
	unsigned chunk = 31 - (unsigned)__builtin_clz(part);

	return saves->chunks[chunk][number - ((1u << chunk) - 1) * SAVES_FIRST_CHUNK];
}

enum unwind_cfa_kind {
	UNWIND_CFA_NONE,       /* it cannot be known here */
	UNWIND_CFA_REGISTER,   /* register `cfa_reg` plus `cfa_value` */
	UNWIND_CFA_EXPRESSION, /* the value of the expression at `cfa_value` */
};

/* How to compute the caller's registers, from this row's address up to the next row's. */
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
 * Replaces `rows`. From an instruction that cannot be interpreted on, the function has a row of
 * kind UNWIND_CFA_NONE.
 */
void cfi_rows_run(const struct cfi_program *program, struct saves *saves, struct cfi_rows *rows);

#endif
