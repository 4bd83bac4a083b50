/*
 * Sorting by a number; in linear time where there are many: on tables with tens of thousands of
 * entries, a comparison sort spends most of its time on mispredicted branches.
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

/* The order of two numbers, for qsort(): below 0, 0, or above it. Not for NAN. */
static inline int
sort_order(double a, double b)
{
	return (a > b) - (a < b);
}

/* Rising; without NAN. */
void sort_numbers(double *numbers, size_t count);

/* Rising; equal keys stay in the order they are in. A radix sort. */
void sort_keys(struct sort_key *keys, size_t count);

#endif
