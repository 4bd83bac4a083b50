/*
 * Mangled names of C++, which libiberty decodes: those that would take it too long are refused.
 */
#ifndef ELF_CXX_NAME_H
#define ELF_CXX_NAME_H

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

#endif
