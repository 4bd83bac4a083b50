/*
 * Which programs and libraries of a counted run choose code by the CPU themselves: a function that
 * the run executed has the instruction CPUID. Their counts are those of code that suits the CPU
 * that valgrind presents.
 *
 * The C library, its loader and libgcc's shared library are left out: a counted run tells the first
 * two which code to choose, and the last only remembers what the CPU has.
 */
#ifndef MEASUREMENT_CPU_CHOICE_H
#define MEASUREMENT_CPU_CHOICE_H

#include "base/buf.h"

/*
 * Appends the names of these files, one a line, for a capture by callgrind. Appends nothing where
 * there are none, or no disassembler.
 */
void cpu_choice_find(const char *capture, struct buf *files);

#endif
