/*
 * A longest common subsequence of two sequences of keys, for comparing texts line by line and code
 * instruction by instruction.
 */
#ifndef BASE_LCS_H
#define BASE_LCS_H

#include "base/allowance.h"

#include <stddef.h>
#include <stdint.h>

#define LCS_NONE UINT32_MAX

/* A sequence; equal keys are equal things. Borrowed. */
struct lcs_keys {
	const uint64_t *keys;
	size_t count;
};

/*
 * Sets of[i], for each key of `from`, to the index in `into` of the key that it is paired with, or
 * to LCS_NONE. Equal beginnings and ends are paired first, then keys that occur once on each side
 * where the rest is long, then what is between these by a table of lengths (Wagner and Fischer,
 * "The String-to-String Correction Problem", 1974). `cells` bounds the tables of all calls
 * together; stretches that it does not allow, or of more than some thousands of keys, stay without
 * pairs.
 */
void lcs_pair(struct lcs_keys from, struct lcs_keys into, struct allowance *cells, uint32_t *of);

#endif
