/*
 * Names of Java methods as perf's agent writes them into a jitdump, and `perf inject --jit` into
 * the programs that it makes.
 *
 * Source: tools/perf/jvmti/libjvmti.c of Linux, and section 4.3 of the JVM specification.
 */
#ifndef ELF_JAVA_NAME_H
#define ELF_JAVA_NAME_H

#include "base/buf.h"

#include <stdbool.h>

/*
 * Makes of a class, a method and its descriptor the text that the JVM itself writes into a perf
 * map: "Lorg/a/B;add([ILjava/lang/String;)J" is "long org.a.B.add(int[], java.lang.String)". False,
 * and `out` is empty, where the name is not of this form.
 */
bool java_name(const char *name, struct buf *out);

#endif
