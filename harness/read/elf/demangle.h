/*
 * Demangles C++, Rust and D names, with libiberty, and Java's and OCaml's.
 */
#ifndef ELF_DEMANGLE_H
#define ELF_DEMANGLE_H

#include "base/allowance.h"
#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The function's name with its scopes and template arguments, without parameters, return type and
 * compiler's suffix, as perf shows it: "_ZN2ns3addIiEEvT_" gives "ns::add<int>". A Rust name, of
 * the old scheme ("_ZN..17h..E") or of v0 ("_R.."), loses its hash. A Java method keeps its types:
 * "LA;f(I)V" gives "void A.f(int)". "_D3app__T4addtTdZQiFdiZd" of D gives
 * "app.addt!(double).addt". NULL where `name` is
 * not a mangled name, or stands for more than 64 KiB of text; free() the result.
 */
char *demangle(const char *name);
/* demangle() within an allowance of bytes: it pays for all text that is made, in vain or not. */
char *demangle_within(const char *name, struct allowance *allowance);

/*
 * Drops from a name that another tool has demangled, "void ns::add<int>(int) [clone .isra.0]", the
 * parts that demangle() leaves out. A name without parameters stays as it is. free() it.
 */
char *demangle_shorten(const char *name, size_t len);

/*
 * Names of Java methods as perf's agent writes them into a jitdump, and `perf inject --jit` into
 * the programs that it makes.
 *
 * Source: tools/perf/jvmti/libjvmti.c of Linux, and section 4.3 of the JVM specification.
 */

/*
 * Makes of a class, a method and its descriptor the text that the JVM itself writes into a perf
 * map: "Lorg/a/B;add([ILjava/lang/String;)J" is "long org.a.B.add(int[], java.lang.String)". False,
 * and `out` is empty, where the name is not of this form.
 */
bool java_name(const char *name, struct buf *out);

#endif
