/*
 * Code that a library or a compiler made several times, one for each kind of CPU: its functions, by
 * their names alone, where no table of symbols tells which function they are variants of; and the
 * files that choose between them.
 *
 * Source of the names: glibc's sysdeps/x86_64/multiarch, sysdeps/aarch64/multiarch,
 * sysdeps/x86_64/fpu/multiarch and sysdeps/powerpc/powerpc64/multiarch; GCC's function
 * multiversioning (gcc/multiple_target.cc) and that of the Arm C Language Extensions, section
 * "Function Multi Versioning"; GMP's build for all CPUs.
 */
#ifndef PROFILE_CPU_VARIANT_H
#define PROFILE_CPU_VARIANT_H

#include "base/buf.h"
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
bool cpu_variant_find(const char *name, size_t len, struct cpu_variant *variant);

/*
 * The length of `name` without a suffix that the compiler gives to versions of a function:
 * ".avx2", ".arch_skylake_avx512", ".default", "._Msve", with a number behind or not; `len` if it
 * has none.
 */
size_t cpu_variant_without_version(const char *name, size_t len);

/*
 * Appends which files choose their code by the CPU: "libcrypto.so.3 chooses code by the CPU
 * (instruction cpuid): counts are ...". Appends nothing where no file is known to.
 */
void cpu_variant_put_choosers(const struct profile *profile, struct buf *out);

#endif
