/*
 * Whether an address is one that a call returns to, judged by the code before it.
 *
 * A chain of frame pointers ends in whatever lies on the stack, and such a word can be the exact
 * start of a function. It then reads like the return address of a call that ends the function
 * before; only the code distinguishes the two.
 */
#ifndef ELF_CALL_SITE_H
#define ELF_CALL_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest call without its prefixes: FF /2 with SIB and a displacement of 32 bits. */
#define CALL_SITE_BYTES 7

/*
 * Whether code of `machine` (EM_X86_64, EM_AARCH64; false for others) that ends with the `len`
 * bytes before an address ends with a call.
 */
bool call_site_ends(uint16_t machine, const unsigned char *code, size_t len);

#endif
