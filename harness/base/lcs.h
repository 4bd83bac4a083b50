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
 * Sets pair_of[i], for each key i of `from`, to the index in `into` of the key that it is paired
 * with, or to LCS_NONE. Equal beginnings and ends are paired first. Where the rest is long, keys
 * that occur once on each side are paired next. The stretches between these pairs are paired by a
 * table of lengths (Wagner and Fischer, "The String-to-String Correction Problem", 1974). `cells`
 * bounds the tables of all calls together. Stretches that it does not allow, or of more than some
 * thousands of keys, stay without pairs.
 */
void lcs_pair(
	struct lcs_keys from, struct lcs_keys into, struct allowance *cells, uint32_t *pair_of);

/* How often a key occurs in each of two sequences, and at which index last. */
struct lcs_occurrence {
	size_t count[2];
	uint32_t at[2];
};

/*
 * The occurrences of all keys of two sequences, to find those that occur once in each: these can be
 * paired without a table. All zeros is empty.
 */
struct lcs_occurrences {
	struct key_map numbers;      /* of the keys, in the order in which they were first added */
	struct lcs_occurrence *list; /* by number */
	size_t capacity;
};

/* Adds the key at index `at` of sequence `side`, which is 0 or 1. */
void lcs_occurrences_add(
	struct lcs_occurrences *occurrences, unsigned side, uint64_t key, size_t at);
void lcs_occurrences_release(struct lcs_occurrences *occurrences);

/* Whether the key occurs once in each sequence. */
static inline bool
lcs_occurrence_is_unique(const struct lcs_occurrence *occurrence)
{
	return occurrence->count[0] == 1 && occurrence->count[1] == 1;
}

#endif
