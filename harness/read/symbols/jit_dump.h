/*
 * A jitdump, jit-PID.dump: the code that a just-in-time compiler made, with names and times. The
 * compiler maps the file as if it were to be executed, so that a capture tells where it is.
 *
 * Source: tools/perf/Documentation/jitdump-specification.txt.
 */
#ifndef SYMBOLS_JIT_DUMP_H
#define SYMBOLS_JIT_DUMP_H

#include "elf/symtab.h"

#include <stdbool.h>
#include <stddef.h>

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

#endif
