/*
 * Programs and libraries that choose code by the CPU themselves: a function that a counted run
 * executed has the instruction CPUID. Counts are then those of code that suits the CPU that
 * valgrind presents. The C library, its loader and libgcc's shared library are left out: a counted
 * run tells the first two which code to choose, and the last only remembers what the CPU has.
 */
#ifndef PIPELINE_CPU_CHOICE_H
#define PIPELINE_CPU_CHOICE_H

#include "base/buf.h"

/*
 * Appends the names of those of a capture by callgrind, a line each; nothing where there are none,
 * or no disassembler.
 */
void cpu_choice_find(const char *capture, struct buf *files);

#endif
