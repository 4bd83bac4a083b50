/*
 * Sorting by a number, in linear time: on tables with tens of thousands of entries, a comparison
 * sort spends most of its time on mispredicted branches.
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* A sort key and the place of its element: small, while the element may be large. */
struct sort_key {
	uint64_t key;
	uint32_t at;
};

/* Rising; equal keys stay in the order they are in. A radix sort. */
void sort_keys(struct sort_key *keys, size_t count);

#endif
