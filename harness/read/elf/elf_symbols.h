/*
 * The symbols of an ELF file: one by one, as the file has them, or added to a table.
 */
#ifndef ELF_ELF_SYMBOLS_H
#define ELF_ELF_SYMBOLS_H

#include "elf/elf_image.h"
#include "elf/symtab.h"

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A walk over the symbols of a table in the file. */
struct elf_symbols {
	const struct elf_image *image; /* borrowed */
	Elf_Data *data;                /* NULL: there is no table */
	size_t count;
	size_t next;
	struct elf_names names;
	bool wide; /* as GElf_Sym is: a file of 64 bits */
};

/*
 * Begins with .symtab (SHT_SYMTAB) or .dynsym (SHT_DYNSYM). Where there is none, or a debug file
 * left its bytes out, there are no symbols.
 */
void elf_symbols_begin(struct elf_symbols *symbols, const struct elf_image *image, uint32_t type);
/* The next one; false behind the last. */
bool elf_symbols_next(struct elf_symbols *symbols, GElf_Sym *sym);

/*
 * Its name in the file, as long as that is open; NULL if there is none. Names can be the ends of
 * one another: where they are many times as long as their table, the rest of the symbols has none.
 */
const char *elf_symbols_name(struct elf_symbols *symbols, const GElf_Sym *sym);
enum symbol_binding elf_symbol_binding(const GElf_Sym *sym);

/*
 * Adds the symbols of .symtab (SHT_SYMTAB) or .dynsym (SHT_DYNSYM) to `tab`, at their offsets in
 * the file that is mapped, `runtime`. Returns how many.
 */
size_t elf_image_symbols(const struct elf_image *image, const struct elf_image *runtime,
	uint32_t type, struct symtab *tab);

/*
 * Adds to `tab`, which is finished, the hidden labels of assembler code in `image` that have no
 * size and that no symbol of `tab` covers, at their offsets in `runtime`. Each reaches to the next
 * symbol of `tab`, or to the end of its section. symtab_index() must follow. perf leaves them out;
 * but hand-written loops, such as zstd's, often have no other name.
 */
void elf_image_labels(
	const struct elf_image *image, const struct elf_image *runtime, struct symtab *tab);

#endif
