/*
 * The processor that a simulator presents to programs. Programs choose code by its features, so
 * that costs that were counted on two kinds of it differ.
 */
#ifndef CAPTURE_PRESENTED_H
#define CAPTURE_PRESENTED_H

#include "base/err.h"

#include <stdint.h>

#define PRESENTED_SIZE 32

/*
 * Runs a program of ours (cpu_features/) by the command `simulator` (NULL-ended), and names the
 * processor that the program finds: "avx2-1a2b3c4d", the largest set of vector instructions and a
 * hash of all features. "" on machines for which there is no such program.
 */
int presented_ask(const char *const *simulator, char name[PRESENTED_SIZE], struct err *err);

/* That program (cpu_features.S), and its length; 0: none for this kind of processor. */
extern const char cpu_features_program[];
extern const uint64_t cpu_features_program_bytes;

/* The name of a processor from the text that the program prints. */
void presented_name(const char *text, char name[PRESENTED_SIZE]);

#endif
