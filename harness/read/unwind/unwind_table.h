/*
 * The unwind rows of one ELF file: for each address, how to get from a function's registers to its
 * caller's.
 *
 * .eh_frame and .debug_frame hold programs that make such rows. A function's program is run once,
 * when an address in it is first looked up, and its rows are kept sorted: from then on a step costs
 * a look-up. Several threads may look up rows in a table at once.
 *
 * Source: DWARF 5, section 6.4 (call frame information); LSB Core 5.0, section 10.6 (.eh_frame).
 */
#ifndef UNWIND_UNWIND_TABLE_H
#define UNWIND_UNWIND_TABLE_H

#include "elf/elf_image.h"
#include "unwind/unwind_machine.h"

#include <stddef.h>
#include <stdint.h>

struct unwind_table;

/*
 * Reads `image`, the file that was mapped, and `debug`, the file of its debug information (NULL, or
 * not open, if there is none; it may have a .debug_frame), and closes both: what is needed of them
 * is copied. Only the index of the functions is made here. NULL where the file has no unwind rows
 * or is of another machine.
 */
struct unwind_table *unwind_table_new(
	const struct unwind_machine *machine, struct elf_image *image, struct elf_image *debug);
void unwind_table_free(struct unwind_table *table);

/* Bytes that a trampoline of the file keeps on the stack beside its return address; 0: there is
 * none. */
uint32_t unwind_table_trampoline(const struct unwind_table *table);

/* How many functions it has, and how many rows were made so far: for tests and benchmarks. */
size_t unwind_table_nfunctions(const struct unwind_table *table);
size_t unwind_table_nrows(const struct unwind_table *table);
/* Makes the rows of all functions at once. */
void unwind_table_make_all(struct unwind_table *table);

#endif
