/*
 * C++ names as people read them.
 */
#ifndef SYMBOLS_DEMANGLE_H
#define SYMBOLS_DEMANGLE_H

#include <stdbool.h>

/*
 * The function's name with its scopes and template arguments, without parameters, return type and
 * compiler's suffix, as perf shows it: "_ZN2ns3addIiEEvT_" gives "ns::add<int>". A Rust name loses
 * its hash. NULL where `name` is not a mangled name; free() the result.
 */
char *demangle(const char *name);

/* Whether there is a demangler; without one all mangled names stay as they are. */
bool demangle_works(void);

#endif
