/*
 * How long an x86-64 instruction is, and where in it a distance or an address is. Nothing else is
 * decoded, so that whole programs can be read in a moment, and without a library.
 *
 * Source: Intel SDM volume 2, chapter 2 (prefixes, ModR/M, VEX, EVEX) and appendix A (opcode maps).
 */
#ifndef CODE_X86_SHAPE_H
#define CODE_X86_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Positions are offsets in the instruction; 0: there is none. */
struct x86_shape {
	uint8_t len;
	uint8_t displacement_at; /* of 4 bytes */
	bool relative;           /* ... and that is from the end of the instruction */
	bool address_only;       /* the displacement alone is an address: LEA */
	uint8_t branch_at;       /* a distance from the end of the instruction */
	uint8_t branch_bytes;    /* 1 or 4 */
	uint8_t number_at;       /* an immediate operand */
	uint8_t number_bytes;    /* 4 or 8: shorter ones are no addresses */
};

/* False where the bytes are no instruction, or one that compilers do not make. */
bool x86_shape_read(const unsigned char *code, size_t left, struct x86_shape *shape);

#endif
