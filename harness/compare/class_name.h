/*
 * The class or namespace that a function's name says it belongs to, for C++ and Rust.
 */
#ifndef COMPARE_CLASS_NAME_H
#define COMPARE_CLASS_NAME_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Puts it into `out`, emptied first: "a::B" of "int a::B<int>::f<char>(int) const", of a lambda in
 * that and of "<a::B as Trait>::f". Template arguments are left out. False for a name without one.
 * Any bytes are a name; takes time linear in `len`.
 */
bool class_name(const char *name, size_t len, struct buf *out);

#endif
