/*
 * Arrays in order: sorting (sort_numbers(), sort_keys()), and binary search in what is sorted
 * (search_until(), search_before()).
 *
 * Sorting is by a number; in linear time where there are many: on tables with tens of thousands of
 * entries, a comparison sort spends most of its time on mispredicted branches.
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* The order of two addresses, each the first member of its element, for qsort(). */
static inline int
sort_address_order(const void *a, const void *b)
{
	const uint64_t *one = a;
	const uint64_t *other = b;

	return (*one > *other) - (*one < *other);
}

/* Rising; without NAN. */
void sort_numbers(double *numbers, size_t count);

/* Rising; equal keys stay in the order they are in. A radix sort. */
void sort_keys(struct sort_key *keys, size_t count);

/*
 * Binary search in an array that is sorted by one of its elements' members, an unsigned number or
 * an address.
 *
 * All is inline: with constant stride and offset the compiler generates the same code as for a loop
 * written by hand. The elements need not be aligned.
 */

/* The sort key of an array, rising; equal keys are allowed. */
struct search_by {
	size_t stride; /* bytes from an element to the next */
	size_t offset; /* of the member in its element */
	size_t width;  /* of the member: 4 or 8 bytes */
};

/* By `member` of an array of `type`, a struct. */
#define SEARCH_BY(type, member)                     \
	((struct search_by){.stride = sizeof(type), \
		.offset = offsetof(type, member),   \
		.width = sizeof(((type){0}).member)})
/* An array of plain numbers. */
#define SEARCH_BY_VALUE(type) ((struct search_by){.stride = sizeof(type), .width = sizeof(type)})

static inline uint64_t
search_key(const void *array, size_t i, struct search_by by)
{
	const unsigned char *at = (const unsigned char *)array + i * by.stride + by.offset;
	uint32_t narrow;
	uint64_t wide;

	if (by.width == sizeof(narrow)) {
		memcpy(&narrow, at, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, at, sizeof(wide));
	return wide;
}

/*
 * The index of the first element in low..high-1 whose key is above `wanted`; `high` if there is
 * none.
 */
static inline size_t
search_within(const void *array, size_t low, size_t high, struct search_by by, uint64_t wanted)
{
	while (low < high) {
		/* No array in memory is large enough for the sum to overflow. */
		size_t middle = (low + high) / 2;

		if (search_key(array, middle, by) <= wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * How many of the `count` elements have a key of at most `wanted`, which is also the index of the
 * first one above. `array` may be NULL if there are none.
 */
static inline size_t
search_until(const void *array, size_t count, struct search_by by, uint64_t wanted)
{
	return search_within(array, 0, count, by, wanted);
}

/* How many have a key below `wanted`, which is also the index of the first equal to it, if any. */
static inline size_t
search_before(const void *array, size_t count, struct search_by by, uint64_t wanted)
{
	return wanted > 0 ? search_within(array, 0, count, by, wanted - 1) : 0;
}

#endif
