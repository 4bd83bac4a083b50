/*
 * What holds of the names of a JIT's code, however they were read.
 */
#ifndef FUZZ_JIT_PIECES_CHECK_H
#define FUZZ_JIT_PIECES_CHECK_H

#include "elf/symtab.h"

#include <stdlib.h>

/* The pieces lie in order and apart, and each is found; there are at most `most`. */
static inline void
jit_pieces_check(const struct symtab *tab, size_t most)
{
	if (tab->count > most)
		abort();
	for (size_t i = 0; i < tab->count; i++) {
		const struct symtab_entry *entry = &tab->entries[i];

		if (entry->end <= entry->start || symtab_find(tab, entry->start) != entry ||
			(i > 0 && entry[-1].end > entry->start))
			abort();
	}
}

#endif
