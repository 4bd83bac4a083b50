/*
 * The entries of .eh_frame and .debug_frame: the functions, and the instructions that make each
 * one's rows.
 *
 * Sources: DWARF 5, section 6.4.1; LSB Core 5.0, section 10.6; for the augmentations "eh" and "B"
 * binutils/dwarf.c and the AADWARF64 ABI.
 */
#ifndef UNWIND_CFI_H
#define UNWIND_CFI_H

#include "base/buf.h"
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

/* At a function's first instruction: the return address is on top of the stack or in a register. */
void cfi_put_cie(struct buf *out, const struct unwind_machine *machine);
/* Pads the entry that starts at `at` and writes its length (DWARF 5, section 7.24). */
void cfi_end_entry(struct buf *out, size_t at);
/* Adds entries to the section: they refer to each other by distance, and can go anywhere. */
void cfi_append(struct cfi_section *section, const struct buf *entries);

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

#endif
