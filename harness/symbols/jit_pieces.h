/*
 * The code that a just-in-time compiler put over other code.
 */
#ifndef SYMBOLS_JIT_PIECES_H
#define SYMBOLS_JIT_PIECES_H

#include "elf/symtab.h"

/* Cuts the entries into disjoint pieces: each address goes to the one that was added last. */
void jit_pieces_cut(struct symtab *tab);

#endif
