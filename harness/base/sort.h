/*
 * Sorting by numbers. Large tables are sorted in linear time, by sort_keys(): with tens of
 * thousands of entries, a comparison sort spends most of its time on mispredicted branches. Sorted
 * arrays are searched by base/search.h.
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* A sort key and the index of its element: it is moved in place of the element, which may be large.
 */
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

/* The order of two addresses, each the first member of its element, for qsort(). */
static inline int
sort_address_order(const void *a, const void *b)
{
	const uint64_t *one = a;
	const uint64_t *other = b;

	return (*one > *other) - (*one < *other);
}

/* Sorts numbers, none of them NAN, in ascending order. */
void sort_numbers(double *numbers, size_t count);

/* Sorts keys in ascending order by a radix sort; equal keys stay in their order. */
void sort_keys(struct sort_key *keys, size_t count);

#endif
