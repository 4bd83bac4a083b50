/*
 * Gets .eh_frame and .debug_frame out of ELF files.
 *
 * The bytes are copied: a file that is cut short while it is read is an error, and one that is
 * replaced later changes nothing.
 */
#ifndef UNWIND_CFI_LOAD_H
#define UNWIND_CFI_LOAD_H

#include "elf/elf_image.h"
#include "unwind/cfi.h"

#include <stdbool.h>

/*
 * Each fills in `section`, whose bytes cfi_unload() frees; false, and nothing to free, where there
 * is none. .eh_frame is found by its section or, where the file has no sections (or, the vDSO, not
 * all of its bytes), by PT_GNU_EH_FRAME.
 */
bool cfi_load_eh_frame(const struct elf_image *image, struct cfi_section *section);
bool cfi_load_debug_frame(const struct elf_image *image, struct cfi_section *section);
void cfi_unload(struct cfi_section *section);

#endif
