/*
 * Names that a just-in-time compiler wrote to /tmp/perf-PID.map.
 *
 * Source: tools/perf/Documentation/jit-interface.txt.
 */
#ifndef SYMBOLS_JIT_MAP_H
#define SYMBOLS_JIT_MAP_H

#include "elf/symtab.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Fills an empty table with the lines "START SIZE NAME" (hexadecimal) of `text`; other lines are
 * ignored. Compilers write a line when they put code somewhere and none when they drop it, so that
 * the last line about an address holds.
 */
void jit_map_parse(struct symtab *tab, const char *text, size_t len);

/*
 * Reads the file of `pid`: while the process lives, the file that it sees, under the pid of its own
 * namespace (both differ in a container); else /tmp/perf-PID.map. A file that neither root nor we
 * nor the user of the living process owns is not trusted, and left out. Below a `root` other than
 * "" there are no living processes.
 */
void jit_map_load(struct symtab *tab, const char *root, uint32_t pid);

/* The maps of processes, each read on first use. */
struct jit_maps {
	struct jit_map *first;
	const char *root; /* borrowed */
};

/* The table of `pid`, empty where it has no map; it lives as long as `maps`. */
struct symtab *jit_maps_of(struct jit_maps *maps, uint32_t pid);
void jit_maps_release(struct jit_maps *maps);

/*
 * The pid of the process in its innermost namespace, by the text of /proc/PID/status; 0 if it does
 * not say.
 */
uint32_t jit_map_inner_pid(const char *status);

#endif
