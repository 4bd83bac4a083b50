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

/* The longest call without its prefixes: FF /2 with SIB and a displacement of 32 bits. */
#define CALL_SITE_BYTES 7

/*
 * Whether x86-64 code that ends with the `len` bytes before an address ends with a call. Prefixes
 * (REX, 66, notrack, bnd) are not decoded: the bytes after them are a call by themselves. Source:
 * Intel SDM volume 2, "CALL" and table 2-2 (ModRM).
 */
bool call_site_ends(const unsigned char *code, size_t len);

/*
 * The same for AArch64: BL, BLR and the forms of BLR that check a signature. Source: Arm
 * Architecture Reference Manual, section C4.1, "Branches, Exception Generating and System
 * instructions".
 */
bool call_site_ends_aarch64(const unsigned char *code, size_t len);

#endif
