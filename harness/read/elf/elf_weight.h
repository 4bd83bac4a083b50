/*
 * The weight of an ELF file, in bytes: by section and, within a section that is loaded, by symbol.
 */
#ifndef ELF_ELF_WEIGHT_H
#define ELF_ELF_WEIGHT_H

#include "base/err.h"
#include "elf/elf_image.h"

#include <stdbool.h>
#include <stdint.h>

/* Bytes that belong to one symbol, or to none. */
struct elf_weight {
	const char *section; /* "" where its name cannot be read */
	bool loaded;         /* it has memory when the program runs */
	bool code;           /* ... which is executable */
	const char *symbol;  /* demangled; NULL: none covers these bytes */
	uint64_t bytes;
};

typedef void elf_weight_take(void *context, const struct elf_weight *weight);

/* A file whose bytes are handed out; all borrowed. */
struct elf_weighed {
	const struct elf_image *image;
	const struct elf_image *symbols; /* that has the symbol table: `image` or its debug file */
	uint64_t file_bytes;
	const char *path; /* for messages */
};

/*
 * Hands out the bytes of all sections, each byte once: of symbols that overlap it is the innermost
 * one's, and of several names of one place that one's which stacks have (symtab.h). Without those
 * of sections that take no room in the file (.bss), they are at most `file_bytes`, and *in_sections
 * says how many. A section outside of the file is an error. Texts are valid during the call of
 * `take`.
 */
int elf_weights(const struct elf_weighed *file, elf_weight_take *take, void *context,
	uint64_t *in_sections, struct err *err);

#endif
