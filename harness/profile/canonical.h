/*
 * Canonical names: what one function is called whatever the compiler made of it, so that two builds
 * can be compared.
 *
 * Clones and suffixes (foo.isra.0, foo.constprop.0, foo.part.0, foo.cold, foo.llvm.123,
 * foo.lto_priv.0), symbol versions (foo@@GLIBC_2.34), the hashes of Rust and the tier marks of JITs
 * all fold onto one name.
 */
#ifndef PROFILE_CANONICAL_H
#define PROFILE_CANONICAL_H

#include "base/buf.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/* Puts the canonical name of `name` into `out`, emptied first. Whether it differs from `name`. */
bool canonical_name(const char *name, size_t len, struct buf *out);

/*
 * Makes `into`, freshly initialised, `from` with canonical names: same runs and columns. Frames
 * that get the same name and kind become one; frame.full keeps the first of the names it had.
 * Where a function's clone is called by the function itself (foo;foo.part.0) the two are one frame:
 * in another build they are one function. Plain recursion (foo;foo) stays.
 */
void canonical_fold(struct profile *into, const struct profile *from);

#endif
