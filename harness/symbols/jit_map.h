/*
 * Names that a just-in-time compiler wrote to /tmp/perf-PID.map.
 *
 * Source: tools/perf/Documentation/jit-interface.txt.
 */
#ifndef SYMBOLS_JIT_MAP_H
#define SYMBOLS_JIT_MAP_H

#include "symbols/symtab.h"

#include <stddef.h>
#include <stdint.h>

/* Adds the lines "START SIZE NAME" (hexadecimal) of `text`; what is not such a line is left out. */
void jit_map_parse(struct symtab *tab, const char *text, size_t len);
/* Reads the file of `pid`; one that neither root nor we own is not trusted, and left out. */
void jit_map_load(struct symtab *tab, uint32_t pid);

#endif
