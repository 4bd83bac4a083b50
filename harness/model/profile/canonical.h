/*
 * Canonical names: one name for a function, whatever the compiler made of it, so that two builds
 * can be compared.
 *
 * Clones and suffixes (foo.isra.0, foo.constprop.0, foo.part.0, foo.cold, foo.llvm.123,
 * foo.lto_priv.0), also as demanglers show them ("foo(int) [clone .isra.0]"), symbol versions
 * (foo@@GLIBC_2.34), the hashes of Rust and the tier marks of JITs all fold onto one name, and so
 * do the variants of a function for kinds of CPUs (foo.avx2, __strlen_evex). The
 * numbers of C++ lambdas do not: another build may give a lambda the number of its neighbour.
 */
#ifndef PROFILE_CANONICAL_H
#define PROFILE_CANONICAL_H

#include "base/buf.h"
#include "base/text_map.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Puts the canonical name of `name`, any bytes, into `out`, emptied first. Returns whether it
 * differs from `name`. A canonical name is its own canonical name. Takes time linear in `len`.
 */
bool canonical_name(const char *name, size_t len, struct buf *out);

/*
 * Appends for which CPUs `profile` has the function of this canonical name, in the order of its
 * frames: "evex", "avx2, sse2". Nothing where it has no variants.
 */
void canonical_put_variants(const struct profile *profile, const char *name, struct buf *out);

/*
 * Joins two profiles into `into`, freshly initialised, with canonical names: the runs and columns
 * of `first`, then those of `second` (NULL: there is none). Frames that get the same name and kind
 * become one; frame.full keeps, of the names it had beside the canonical one, the first in the
 * order of strcmp(). Of a frame of both, module, file and line are those of `second`.
 *
 * Where a function calls a part that was split off it (foo;foo.part.0) the two become one frame: in
 * another build they are one function. A call that enters the function again stays a call: plain
 * recursion (foo;foo), from a clone (foo.part.0;foo), or from tier to tier.
 *
 * Where both are known to be of other builds of the kernel, its functions become the way into it
 * (enum kernel_way). What runs below an interrupt's entry is the frame "interrupt" in any case.
 */
void canonical_join(
	struct profile *into, const struct profile *first, const struct profile *second);

/*
 * Functions of which a file has several variants, one of which it chooses as it is loaded: by
 * profile->variants, a line each, "NAME => FUNCTION": a frame's name, and the canonical one of the
 * function. It has those whose names do not say it themselves.
 */

/* Between both names of a line. */
#define VARIANT_OF " => "

struct variant_names {
	struct text_map names;  /* the value is an index into `functions` */
	const char **functions; /* in the arena of `names`; a variant each */
};

/* All zeros has none. Adds those of a profile; a name that is there already stays as it is. */
void variant_names_add(struct variant_names *variants, const struct profile *profile);
void variant_names_release(struct variant_names *variants);

/* The function that a name is a variant of; NULL: of none that is known. */
const char *variant_names_find(const struct variant_names *variants, const char *name, size_t len);

/* The next line of profile->variants, as *lines is moved behind it; false at the end. */
struct variant_line {
	const char *name;
	size_t name_len;
	const char *function;
	size_t function_len;
};
bool variant_names_next(const char **lines, struct variant_line *line);

#endif
