/*
 * The text of a /tmp/perf-PID.map: names that a just-in-time compiler gives its code.
 *
 * Source: tools/perf/Documentation/jit-interface.txt.
 */
#ifndef SYMBOLS_JIT_MAP_H
#define SYMBOLS_JIT_MAP_H

#include "elf/symtab.h"

#include <stddef.h>

/*
 * Adds the lines "START SIZE NAME" (hexadecimal) of `text`; other lines are ignored. Compilers
 * write a line when they put code somewhere and none when they drop it, so that the last line about
 * an address holds, also over what the table had before.
 */
void jit_map_parse(struct symtab *tab, const char *text, size_t len);

#endif
