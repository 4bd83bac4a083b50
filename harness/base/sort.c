#include "base/sort.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)

static int
compare_numbers(const void *a, const void *b)
{
	return sort_order(*(const double *)a, *(const double *)b);
}

void
sort_numbers(double *numbers, size_t count)
{
	if (count > 0)
		qsort(numbers, count, sizeof(*numbers), compare_numbers);
}

/* One pass of the radix sort: stable, by DIGIT_BITS of the key from bit `shift` on. */
static void
sort_by_digit(const struct sort_key *from, struct sort_key *to, size_t count, unsigned shift)
{
	size_t places[DIGITS] = {0};
	size_t place = 0;

	for (size_t i = 0; i < count; i++)
		places[from[i].key >> shift & (DIGITS - 1)]++;
	for (size_t digit = 0; digit < DIGITS; digit++) {
		size_t n = places[digit];

		places[digit] = place;
		place += n;
	}
	for (size_t i = 0; i < count; i++)
		to[places[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

void
sort_keys(struct sort_key *keys, size_t count)
{
	struct sort_key *scratch = mem_resize(NULL, (count + 1) * sizeof(*scratch));
	struct sort_key *from = keys;
	struct sort_key *to = scratch;
	uint64_t differing = 0;

	for (size_t i = 0; i < count; i++)
		differing |= keys[i].key ^ keys[0].key;
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		if ((differing >> shift & (DIGITS - 1)) == 0)
			continue;
		sort_by_digit(from, to, count, shift);

		struct sort_key *swap = from;

		from = to;
		to = swap;
	}
	if (from != keys)
		memcpy(keys, from, count * sizeof(*keys));
	free(scratch);
}
