/*
 * The processor that a simulator presents to programs. They choose code by its features, so that
 * costs counted on two kinds of it differ.
 */
#ifndef CAPTURE_PRESENTED_H
#define CAPTURE_PRESENTED_H

#include "base/err.h"

#define PRESENTED_SIZE 32

/*
 * Runs a program of ours behind the words `simulator` (NULL-ended), and names the processor that it
 * finds: "avx2-1a2b3c4d", the largest set of vector instructions and a hash of all features. "" on
 * machines that have no such program.
 */
int presented_ask(const char *const *simulator, char name[PRESENTED_SIZE], struct err *err);

/* The name of a processor from what the program prints. */
void presented_name(const char *text, char name[PRESENTED_SIZE]);

#endif
