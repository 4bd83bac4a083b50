/*
 * The procedure linkage table of a module: stubs that jump to functions of other modules.
 */
#ifndef ELF_PLT_H
#define ELF_PLT_H

#include "elf/elf_image.h"
#include "elf/symtab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a section of stubs is divided. */
struct plt_shape {
	uint64_t first_bytes; /* of the one ahead of the others, which finds functions on their
				 first call; 0: there is none */
	uint64_t entry_bytes; /* of each other one */
	uint64_t push_bytes;  /* AArch64: of the first one's code up to where it has pushed two
				 registers; 0 if there is none */
};

/*
 * The shape of `stubs`, a section of `image`. On AArch64 stubs with marks for indirect branches or
 * signed pointers are longer, which only the code shows. Source: binutils, bfd/elfnn-aarch64.c; Arm
 * Architecture Reference Manual, section C6.2 (STP, BR).
 */
struct plt_shape plt_shape_of(const struct elf_image *image, const GElf_Shdr *stubs);

/* Adds "NAME@plt" for each stub of .plt or, where there is one, .plt.sec. */
void plt_symbols(const struct elf_image *image, struct symtab *tab);

#endif
