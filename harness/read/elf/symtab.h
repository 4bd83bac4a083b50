/*
 * A table of symbols: from an address to the function that covers it.
 *
 * Where several symbols claim an address the choice is the one that perf makes, so that stacks read
 * the same in both: tools/perf/util/symbol.c, "symbols__fixup_duplicate" and "symbols__fixup_end".
 */
#ifndef ELF_SYMTAB_H
#define ELF_SYMTAB_H

#include "base/allowance.h"
#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum symbol_binding {
	BINDING_LOCAL,
	BINDING_GLOBAL,
	BINDING_WEAK,
};

struct symtab_entry {
	uint64_t start;
	uint64_t end; /* behind the last byte */
	const char *name;
	const char *module; /* of a kernel module: "[ext4]"; NULL otherwise */
	uint32_t order;     /* of arrival */
	uint8_t binding;    /* enum symbol_binding */
	bool label;         /* an assembler's label: the code before it runs into it */
	bool readable;      /* `name` is as people read it: demangled, or not to be */
	bool data;          /* of the kernel's: no code */
};

/* From `start` to that of the next piece, the innermost symbol is one and the same. */
struct symtab_piece {
	uint64_t start;
	uint32_t entry; /* from 1; 0: none */
};

/* All zeros is an empty one. */
struct symtab {
	struct symtab_entry *entries; /* by start, once finished */
	size_t count;
	size_t capacity;
	struct symtab_piece *pieces; /* by start; of the entries that there were then */
	size_t npieces;
	struct arena arena;     /* for names */
	struct allowance names; /* bytes of names that may still be made of those in the file */
};

void symtab_release(struct symtab *tab);

/* Lets names be made of a file's table of them, which has so many bytes. */
void symtab_allow_names(struct symtab *tab, uint64_t bytes);
/* Makes room for so many more symbols: how many a file can hold is known before they are read. */
void symtab_reserve(struct symtab *tab, size_t count);
/*
 * Adds a symbol. `name` is borrowed for as long as the table lives (the arena is a good place).
 * `readable` names are not demangled.
 */
struct symtab_entry *symtab_add(struct symtab *tab, uint64_t start, uint64_t size,
	enum symbol_binding binding, const char *name, bool readable);

/*
 * Sorts the table, extends symbols without a size up to the next one, and leaves one symbol at
 * each start. `kernel`: symbols of kernel modules do not extend over their module's end.
 */
void symtab_finish(struct symtab *tab, bool kernel);
/*
 * Sorts again after more symbols were added that lie beside the others. Those of one start stay in
 * the order they were added in.
 */
void symtab_index(struct symtab *tab);

/* The symbol that covers `address`: the innermost one. NULL if none. */
struct symtab_entry *symtab_find(const struct symtab *tab, uint64_t address);
/*
 * Its name, demangled on first use; the table's. Where too much was made of the names of the file,
 * as they are there: no compiler's are.
 */
const char *symtab_name(struct symtab *tab, struct symtab_entry *entry);

#endif
