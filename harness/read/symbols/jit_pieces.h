/*
 * The code that a just-in-time compiler put over other code.
 */
#ifndef SYMBOLS_JIT_PIECES_H
#define SYMBOLS_JIT_PIECES_H

#include "elf/symtab.h"

/* For a name: each address in the code has it, and names of programs are cut at some length, too.
 */
#define JIT_NAME_BYTES_MAX ((size_t)8192)

/* Cuts the entries into disjoint pieces: each address goes to the one that was added last. */
void jit_pieces_cut(struct symtab *tab);

#endif
