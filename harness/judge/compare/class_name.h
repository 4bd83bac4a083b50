/* The class or namespace that a function belongs to, by its name. */
#ifndef COMPARE_CLASS_NAME_H
#define COMPARE_CLASS_NAME_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes the class or namespace in a function name of C++ or Rust to `out`, emptied first:
 * "a::B" of "int a::B<int>::f<char>(int) const", of a lambda in that and of "<a::B as Trait>::f".
 * Template arguments are left out. False for a name without one. `name` may be any
 * bytes; takes time linear in `len`.
 */
bool class_name(const char *name, size_t len, struct buf *out);

#endif
