/*
 * Binary search in an array that is sorted by one member of its elements, an unsigned number or an
 * address.
 *
 * All is inline: with constant stride and offset the compiler generates the same code as for a loop
 * written by hand. The elements need not be aligned.
 */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The sort key of an array, which is in ascending order; equal keys are allowed. */
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

/*
 * How many of the elements have a key below `wanted`, which is also the index of the first one that
 * is equal to it, if any.
 */
static inline size_t
search_before(const void *array, size_t count, struct search_by by, uint64_t wanted)
{
	return wanted > 0 ? search_within(array, 0, count, by, wanted - 1) : 0;
}

#endif
