/*
 * Mangled names of C++, which libiberty decodes: those that would take it too long are refused.
 */
#ifndef ELF_NAMES_INTERNAL_H
#define ELF_NAMES_INTERNAL_H

#include <libiberty/demangle.h>
#include <stdbool.h>
#include <stddef.h>

/* What is known of a name while it is printed. */
struct cxx_name {
	void *block;  /* its components; the caller frees it */
	size_t count; /* of components for which `block` has room */
	size_t steps; /* components that a walk over its tree passes, each as often as it is used */
};

/*
 * Hands the text to `put`, which may leave by longjmp(): `name` is then set as after the call.
 * False where the library knows no such name, or would need too long for it.
 */
bool cxx_name_print(
	struct cxx_name *name, const char *mangled, demangle_callbackref put, void *opaque);

/*
 * Mangled names of Rust, scheme v0, as far as it must be known how long libiberty needs for them.
 */

/*
 * Whether a name, "_R..", can be given to the library. It counts the lifetimes of each binder, a
 * number of up to 2^64, one by one, and parts of a name are not printed. False, too, for a name
 * that does not follow the scheme.
 */
bool rust_name_is_bounded(const char *mangled);

#endif
