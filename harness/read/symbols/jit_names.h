/*
 * The names of code that just-in-time compilers made in a process: those of its /tmp/perf-PID.map,
 * and of the jitdump that it mapped.
 */
#ifndef SYMBOLS_JIT_NAMES_H
#define SYMBOLS_JIT_NAMES_H

#include "base/key_map.h"
#include "elf/symtab.h"
#include "symbols/module_table.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Reads the map of `pid`: its copy beside the capture in the folder `beside` (NULL: none), where
 * there is one (elf/program_copies.h); while the process lives, the file that it sees, under the
 * pid of its own namespace (both differ in a container); else /tmp/perf-PID.map. A file that
 * neither root nor we nor the user of the living process owns is not trusted, and left out. Below a
 * `root` other than
 * "" there are no living processes.
 */
void jit_names_load_map(struct symtab *tab, const char *root, const char *beside, uint32_t pid);

/* Reads the dump at `path`, as the process sees it, on the same terms. False if it is not there. */
bool jit_names_load_dump(struct symtab *tab, const char *root, uint32_t pid, const char *path);

/* The names of processes, each read on first use. All zeros: none. */
struct jit_names {
	struct key_map pids;
	struct jit_process *processes; /* by number of the pid */
	size_t capacity;
	struct module_table *modules; /* has the root, and takes notes; borrowed */
};

/*
 * The table of `pid`, empty where it has no names; valid until the next call, the names in it as
 * long as `names`. `dump` is the path of the jitdump that the process mapped (borrowed; NULL:
 * none).
 */
struct symtab *jit_names_of(struct jit_names *names, uint32_t pid, const char *dump);
void jit_names_release(struct jit_names *names);

#endif
