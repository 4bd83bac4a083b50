/*
 * The symbols of an ELF file's table, one by one, as the file has them.
 */
#ifndef ELF_ELF_SYMBOLS_H
#define ELF_ELF_SYMBOLS_H

#include "elf/elf_image.h"

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

#endif
