/*
 * Demangles C++, Rust and D names, with libiberty, and Java's and OCaml's.
 */
#ifndef ELF_DEMANGLE_H
#define ELF_DEMANGLE_H

#include "base/allowance.h"

#include <stddef.h>

/*
 * The function's name with its scopes and template arguments, without parameters, return type and
 * compiler's suffix, as perf shows it: "_ZN2ns3addIiEEvT_" gives "ns::add<int>". A Rust name, of
 * the old scheme ("_ZN..17h..E") or of v0 ("_R.."), loses its hash. A Java method keeps its types:
 * "LA;f(I)V" gives "void A.f(int)". D and OCaml: d_name.h and ocaml_name.h. NULL where `name` is
 * not a mangled name, or stands for more than 64 KiB of text; free() the result.
 */
char *demangle(const char *name);
/* The same within an allowance of bytes: all text that is made is taken from it, in vain or not. */
char *demangle_within(const char *name, struct allowance *allowance);

/*
 * The same of a name that another tool has demangled, "void ns::add<int>(int) [clone .isra.0]"; any
 * name without parameters stays as it is. free() it.
 */
char *demangle_shorten(const char *name, size_t len);

#endif
