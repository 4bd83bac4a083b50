/*
 * A longest common subsequence of two sequences of keys, for comparing texts line by line and code
 * instruction by instruction.
 */
#ifndef BASE_LCS_H
#define BASE_LCS_H

#include "base/allowance.h"
#include "base/map.h"

#include <stdbool.h>
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

/* How often a key occurs on each side, and where last. */
struct lcs_occurrence {
	size_t count[2];
	uint32_t at[2];
};

/*
 * Keys of two sequences, in the order in which they were first added: counted to find those that
 * occur once on each side, which can be paired without a table. All zeros: none.
 */
struct lcs_occurrences {
	struct key_map numbers;
	struct lcs_occurrence *list; /* numbers.count of them */
	size_t capacity;
};

void lcs_occurrences_add(
	struct lcs_occurrences *occurrences, unsigned side, uint64_t key, size_t at);
void lcs_occurrences_release(struct lcs_occurrences *occurrences);

/* Whether it occurs once on each side. */
static inline bool
lcs_occurrence_is_unique(const struct lcs_occurrence *occurrence)
{
	return occurrence->count[0] == 1 && occurrence->count[1] == 1;
}

#endif
