/*
 * The vDSO: code that the kernel maps into every process. There is no file of it; ours is the same
 * as everyone's on this kernel.
 */
#ifndef SYMBOLS_VDSO_H
#define SYMBOLS_VDSO_H

#include "symbols/symtab.h"

/* Adds the symbols of our own process's vDSO, at their offsets in it. */
void vdso_symbols(struct symtab *tab);

#endif
