/*
 * A digest of all that a program file makes a process execute and read: two builds of equal digest
 * are the same program, though they were built in other folders, with other debug information or
 * from another commit.
 *
 * Left out are: build-ids; symbols, debug information and the compiler's name, which are not
 * loaded; the folder of the build at the front of paths in constants, names of libraries' folders
 * and Go's tables of lines (a Go program of a folder whose name is longer or shorter differs all
 * the same); the commit that Go stamps (build info, "vcs." lines and the version of the main
 * module); lines in Go's tables of functions, unless the program takes them (digest_go.c).
 *
 * Where sections moved because of that, an address is replaced by its section and its place in it,
 * so that code and data are compared for where they lead. This is done for what is surely an
 * address: relocations, the dynamic linker's tables, distances in x86-64 code, its tables of jumps,
 * unwind tables; in a program that is linked for one address also words of data and numbers in
 * code. All else is taken as it is. So a digest errs to one side: it may differ between programs
 * that do the same (linked by another linker, of AArch64 and moved), and two of equal digest have,
 * byte by byte, the same contents in the same order.
 */
#ifndef CODE_PROGRAM_DIGEST_H
#define CODE_PROGRAM_DIGEST_H

#include "base/err.h"
#include "base/sha256.h"

/*
 * `folders` (NULL-ended) are those in which it may have been built: absolute, without a '/' at the
 * end. A file that is no ELF program of 64 bits, or has no sections, is an error.
 */
int program_digest(
	const char *path, const char *const *folders, char text[SHA256_TEXT_SIZE], struct err *err);

#endif
