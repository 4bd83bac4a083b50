/*
 * The inputs of a build beside its sources and its command: compilers, and the variables of the
 * environment that steer them. A build is kept for as long as these stay the same.
 */
#ifndef BUILDS_TOOLCHAIN_H
#define BUILDS_TOOLCHAIN_H

#include "base/buf.h"
#include "base/sha256.h"

#include <stdbool.h>

/*
 * Whether a variable "NAME=value" may change what a build makes: PATH, CC, *FLAGS, CARGO_*, LD_*
 * and the like. Tokens and numbers of CI jobs do not: they differ from run to run.
 */
bool toolchain_variable_counts(const char *variable);

/*
 * Appends a text that is the same while the same compilers are found and these variables have the
 * same values. Compilers are known by the hashes of their files; wrappers (scripts, ccache, rustup)
 * also by the version that they print, which is that of the compiler they start.
 */
void toolchain_describe(struct buf *out);

/*
 * The hash of that text. Compilers are asked once and again where a variable has changed: some take
 * a tenth of a second to print their version, and a process that tries many commits builds with one
 * toolchain.
 */
void toolchain_hash(char hash[SHA256_TEXT_SIZE]);

#endif
