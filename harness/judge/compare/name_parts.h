/*
 * Parts of function names: the class or namespace that one belongs to, and type arguments, by which
 * functions differ that one declaration in the source, of a template or a generic function, has
 * become.
 */
#ifndef COMPARE_NAME_PARTS_H
#define COMPARE_NAME_PARTS_H

#include "base/buf.h"
#include "profile/profile.h"

#include <stdbool.h>

/*
 * Writes the class or namespace in a function name of C++ or Rust to `out`, emptied first:
 * "a::B" of "int a::B<int>::f<char>(int) const", of a lambda in that and of "<a::B as Trait>::f".
 * Template arguments are left out. False for a name without one. `name` may be any
 * bytes; takes time linear in `len`.
 */
bool class_name(const char *name, size_t len, struct buf *out);

/* Whether the names of two functions are the same but for type arguments; not of the kernel. */
bool same_declaration(const struct profile *profile, frame_id a, frame_id b);

#endif
