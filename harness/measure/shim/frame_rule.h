/*
 * The rule of a frame: how the caller's stack pointer, frame pointer and return address are found
 * at an address, by the call frame information (.eh_frame) of the loaded modules, in 64 bits.
 *
 * Only these registers are followed. Compilers define frames by them alone; what else is possible
 * (hand-written code that saves its stack pointer in another register) ends a stack as broken.
 */
#ifndef SHIM_FRAME_RULE_H
#define SHIM_FRAME_RULE_H

#include <stdint.h>

enum frame_rule_kind {
	FRAME_UNKNOWN,   /* no information: frame pointers may help */
	FRAME_LOST,      /* there is information, but it cannot be followed */
	FRAME_OUTMOST,   /* there is no caller */
	FRAME_FROM_SP,   /* the CFA is the stack pointer plus `cfa` */
	FRAME_FROM_FP,   /* the CFA is the frame pointer plus `cfa` */
	FRAME_AT_SP,     /* the CFA is in memory at the stack pointer plus `cfa` */
	FRAME_AT_FP,     /* the CFA is in memory at the frame pointer plus `cfa` */
	FRAME_OF_SIGNAL, /* a signal handler's caller: all registers are in the kernel's frame */
};

struct frame_rule {
	int32_t cfa;
	int16_t fp_words; /* the caller's frame pointer is at the CFA plus so many words of 8
			     bytes; 0: it is the same */
	int8_t ra_words;  /* the return address, likewise */
	uint8_t kind;
};

/* The rule that an entry of .eh_frame gives at `pc`. */
struct frame_rule frame_rule_make(const unsigned char *entry, uintptr_t pc);

#endif
