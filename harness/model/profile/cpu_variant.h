/*
 * Functions that a library or a compiler made several times, one for each kind of CPU: by their
 * names alone, where no table of symbols tells which function they are variants of.
 *
 * Source of the names: glibc's sysdeps/x86_64/multiarch, sysdeps/aarch64/multiarch,
 * sysdeps/x86_64/fpu/multiarch and sysdeps/powerpc/powerpc64/multiarch; GCC's function
 * multiversioning (gcc/multiple_target.cc) and that of the Arm C Language Extensions, section
 * "Function Multi Versioning"; GMP's build for all CPUs.
 */
#ifndef PROFILE_CPU_VARIANT_H
#define PROFILE_CPU_VARIANT_H

#include "base/buf.h"
#include "base/text_map.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/* Parts of a name: text[start..start+len). */
struct cpu_variant {
	size_t start; /* the function's own name, without underscores ahead */
	size_t len;
	size_t mark_start; /* the CPU that it is made for: "avx512_unaligned_erms" */
	size_t mark_len;
};

/*
 * Whether `name` is that of a variant: "__strlen_evex", "__gmpn_mul_1_zen". Names that any program
 * may use, such as "sum_avx2", are none: it may have both and call both. Takes time linear in
 * `len`.
 */
bool cpu_variant_of_library(const char *name, size_t len, struct cpu_variant *variant);

/*
 * The length of `name` without a suffix that the compiler gives to versions of a function:
 * ".avx2", ".arch_skylake_avx512", ".default", "._Msve", with a number behind or not; `len` if it
 * has none.
 */
size_t cpu_variant_without_version(const char *name, size_t len);

/*
 * Functions of which a file has several variants, one of which it chooses as it is loaded: by
 * profile->variants, a line each, "NAME => FUNCTION": a frame's name, and the canonical one of the
 * function. It has those whose names do not say it themselves (cpu_variant.h).
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

/* Appends all as lines. */
void variant_names_put(const struct variant_names *variants, struct buf *lines);

#endif
