/*
 * The names of code that just-in-time compilers made in a process: those of its /tmp/perf-PID.map,
 * and of the jitdump that it mapped.
 */
#ifndef SYMBOLS_JIT_NAMES_H
#define SYMBOLS_JIT_NAMES_H

#include "base/key_map.h"
#include "elf/symtab.h"
#include "symbols/module.h"

#include <stdbool.h>
#include <stddef.h>
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

/*
 * A jitdump, jit-PID.dump: the code that a just-in-time compiler made, with names and times. The
 * compiler maps the file as if it were to be executed, so that a capture tells where it is.
 *
 * Source: tools/perf/Documentation/jitdump-specification.txt.
 */

/* Whether a file of this path is one, by its name. */
bool jit_dump_is_path(const char *path);
/* Whether it is a program that perf inject made of a function in one: jitted-PID-NUMBER.so. */
bool jit_dump_is_program(const char *path);

/*
 * Adds the functions of the dump, where they were put and where they were moved to, up to the end
 * or the first record that is not whole: the compiler may still write. As in a map, the last one
 * about an address holds. False if it is no dump, or one of another byte order.
 */
bool jit_dump_parse(struct symtab *tab, const char *bytes, size_t len);

/*
 * The text of a /tmp/perf-PID.map: names that a just-in-time compiler gives its code.
 *
 * Source: tools/perf/Documentation/jit-interface.txt.
 */

/*
 * Adds the lines "START SIZE NAME" (hexadecimal) of `text`; other lines are ignored. Compilers
 * write a line when they put code somewhere and none when they drop it, so that the last line about
 * an address holds, also over what the table had before.
 */
void jit_map_parse(struct symtab *tab, const char *text, size_t len);

/*
 * The code that a just-in-time compiler put over other code.
 */

/* For a name: each address in the code has it, and names of programs are cut at some length, too.
 */
#define JIT_NAME_BYTES_MAX ((size_t)8192)

#endif
