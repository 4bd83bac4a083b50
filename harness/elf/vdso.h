/*
 * The vDSO: code that the kernel maps into every process. There is no file of it; ours is the same
 * as everyone's on this kernel.
 */
#ifndef ELF_VDSO_H
#define ELF_VDSO_H

#include "elf/elf_image.h"
#include "elf/symtab.h"

/* Opens our own process's vDSO where it lies in memory; false where there is none. */
bool vdso_open(struct elf_image *image);
/* Adds the symbols of our own process's vDSO, at their offsets in it. */
void vdso_symbols(struct symtab *tab);

#endif
