/*
 * Rows for the stubs that jump to other modules, where the linker wrote none: lld leaves them out,
 * and so do static programs for their indirect functions. On AArch64 no linker writes any.
 */
#ifndef UNWIND_STUBS_H
#define UNWIND_STUBS_H

#include "elf/elf_image.h"
#include "unwind/cfi.h"
#include "unwind/unwind_machine.h"

/*
 * Adds an entry for each section of stubs behind those that `section`, of this file for `machine`,
 * has (where both are about the same address the linker's is first). `section` may be empty;
 * cfi_unload() frees what is added, too.
 */
void stubs_add(const struct unwind_machine *machine, const struct elf_image *image,
	struct cfi_section *section);

#endif
