/*
 * The ways out of a module, by its machine code: the stubs that jump to other modules (the
 * procedure linkage table), and the addresses that calls return to.
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

/*
 * Whether an address is one that a call returns to, judged by the code before it.
 *
 * A chain of frame pointers ends in whatever lies on the stack, and such a word can be the exact
 * start of a function. It then reads like the return address of a call that ends the function
 * before; only the code distinguishes the two.
 */

/* The longest call without its prefixes: FF /2 with SIB and a displacement of 32 bits. */
#define CALL_SITE_BYTES 7

/*
 * Whether code of `machine` (EM_X86_64, EM_AARCH64; false for others) that ends with the `len`
 * bytes before an address ends with a call.
 */
bool call_site_ends(uint16_t machine, const unsigned char *code, size_t len);

#endif
