/*
 * The parts of demangle.h: the languages whose names need more than a call of libiberty, and the
 * shortening of demangled names.
 */
#ifndef ELF_DEMANGLE_INTERNAL_H
#define ELF_DEMANGLE_INTERNAL_H

#include "base/allowance.h"

#include <libiberty/demangle.h>
#include <stdbool.h>
#include <stddef.h>

/* demangle_cxx.c */
/* A name while it is printed. */
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

/* demangle_rust.c */
/*
 * Whether a name, "_R..", can be given to the library. It counts the lifetimes of each binder, a
 * number of up to 2^64, one by one, and parts of a name are not printed. False, too, for a name
 * that does not follow the scheme.
 */
bool rust_name_is_bounded(const char *mangled);

/* demangle_d.c */
/*
 * The function's name with its scopes and template arguments, without parameters:
 * "_D3app__T4addtTdZQiFdiZd" gives "app.addt!(double).addt". NULL where it is no name of D, or what
 * its references repeat is too long; free() it. The work is taken from `allowance`.
 */
char *demangle_d(const char *name, struct allowance *allowance);

/* demangle_ocaml.c */
/*
 * The function's name with its modules, without the number that distinguishes functions of one name
 * and changes with whatever stands before it; of an anonymous one, "fun_253", it is the name. NULL
 * where it is no name of OCaml; free() it.
 */
char *demangle_ocaml(const char *name);

/* demangle_drop.c */
/*
 * Shortens a demangled name in its place. Text about a function, such as "vtable for f", is left as
 * it is.
 */
void shorten_name(char *text);

#endif
