/*
 * Which instructions of two builds of a function correspond to one another.
 *
 * Functions are paired by name; a function that is alone on both sides is paired whatever it is
 * called. Of a pair the instructions are the same that a longest common subsequence has, by their
 * text without addresses (targets of jumps and calls, but for the name of the function, and places
 * of data relative to the code). Where as many others stand between two of these on both sides,
 * they are paired in their order if their operations are the same, whatever their operands.
 */
#ifndef CODE_CODE_ALIGN_H
#define CODE_CODE_ALIGN_H

#include "base/lcs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Both borrowed. Those of a function are adjacent. */
struct aligned_instruction {
	const char *function; /* its name */
	const char *text;     /* as a listing has it */
};

/*
 * By instruction of `from`: the index of the one of `into`, LCS_NONE where there is none;
 * free() it. Beginnings and ends that are the same apart, functions of more than some thousands of
 * instructions are not compared.
 */
uint32_t *code_align(const struct aligned_instruction *from, size_t nfrom,
	const struct aligned_instruction *into, size_t ninto);

/* Whether the texts of two instructions are the same without addresses. */
bool code_align_is_same(
	const struct aligned_instruction *one, const struct aligned_instruction *other);

#endif
