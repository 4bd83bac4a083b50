#include "base/lcs.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>

/* The largest table: 16 MiB. */
#define CELLS_MAX ((size_t)4 << 20)

/* Part of both sequences: from[from_begin, from_end) and into[into_begin, into_end). */
struct stretch {
	size_t from_begin;
	size_t from_end;
	size_t into_begin;
	size_t into_end;
};

/* What lcs_pair() was called with. */
struct pairing {
	struct lcs_keys from;
	struct lcs_keys into;
	struct allowance *cells;
	uint32_t *pair_of;
};

/*
 * The table of Wagner and Fischer: row i and column k hold the length of a longest common
 * subsequence of from[i, rows) and into[k, columns). free() it.
 */
static uint32_t *
make_lengths(const uint64_t *from, size_t rows, const uint64_t *into, size_t columns)
{
	const size_t width = columns + 1;
	uint32_t *lengths = mem_zalloc((rows + 1) * width, sizeof(*lengths));

	for (size_t i = rows; i-- > 0;)
		for (size_t k = columns; k-- > 0;) {
			const uint32_t down = lengths[(i + 1) * width + k];
			const uint32_t right = lengths[i * width + k + 1];

			lengths[i * width + k] = from[i] == into[k]
							 ? lengths[(i + 1) * width + k + 1] + 1
						 : down > right ? down
								: right;
		}
	return lengths;
}

static bool
fits_table(const struct stretch *stretch)
{
	const size_t rows = stretch->from_end - stretch->from_begin;
	const size_t width = stretch->into_end - stretch->into_begin + 1;

	return rows + 1 <= CELLS_MAX / width;
}

/* Pairs all keys of a stretch, unless the table would be too large. */
static void
pair_by_table(const struct pairing *pairing, const struct stretch *stretch)
{
	const uint64_t *from = pairing->from.keys + stretch->from_begin;
	const uint64_t *into = pairing->into.keys + stretch->into_begin;
	const size_t rows = stretch->from_end - stretch->from_begin;
	const size_t columns = stretch->into_end - stretch->into_begin;
	const size_t width = columns + 1;

	if (rows == 0 || columns == 0 || !fits_table(stretch) ||
		!allowance_take(pairing->cells, (rows + 1) * width))
		return;
	uint32_t *lengths = make_lengths(from, rows, into, columns);

	for (size_t i = 0, k = 0; i < rows && k < columns;) {
		if (from[i] == into[k])
			pairing->pair_of[stretch->from_begin + i++] =
				(uint32_t)(stretch->into_begin + k++);
		else if (lengths[(i + 1) * width + k] >= lengths[i * width + k + 1])
			i++;
		else
			k++;
	}
	free(lengths);
}

void
lcs_occurrences_add(struct lcs_occurrences *occurrences, unsigned side, uint64_t key, size_t at)
{
	const size_t known = occurrences->numbers.count;
	const uint32_t number = key_map_add(&occurrences->numbers, key);

	occurrences->list = mem_grow(occurrences->list, &occurrences->capacity,
		occurrences->numbers.count, sizeof(*occurrences->list));
	if (number == known)
		occurrences->list[number] = (struct lcs_occurrence){0};
	occurrences->list[number].count[side]++;
	occurrences->list[number].at[side] = (uint32_t)at;
}

void
lcs_occurrences_release(struct lcs_occurrences *occurrences)
{
	key_map_release(&occurrences->numbers);
	free(occurrences->list);
	*occurrences = (struct lcs_occurrences){0};
}

/* How many of `ends` have an index in `into` below `at`; they are sorted by it. */
static size_t
count_below(const struct lcs_occurrence *const *ends, size_t count, uint32_t at)
{
	size_t low = 0;

	while (low < count) {
		const size_t middle = (low + count) / 2;

		if (ends[middle]->at[1] < at)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

/*
 * Pairs keys that occur once on each side: as many as stand in the same order on both sides, a
 * longest increasing subsequence of their indexes in `into`. They are visited in the order of
 * `from`, since that numbers the keys.
 */
static void
pair_unique(const struct pairing *pairing, const struct stretch *stretch)
{
	struct lcs_occurrences all = {0};

	for (size_t i = stretch->from_begin; i < stretch->from_end; i++)
		lcs_occurrences_add(&all, 0, pairing->from.keys[i], i);
	for (size_t i = stretch->into_begin; i < stretch->into_end; i++)
		lcs_occurrences_add(&all, 1, pairing->into.keys[i], i);
	/* The last key of the subsequence of each length, less 1, that ends at the lowest index. */
	const struct lcs_occurrence **ends =
		mem_zalloc(all.numbers.count + 1, sizeof(struct lcs_occurrence *));
	/* The key before each key in the longest subsequence that ends there. */
	const struct lcs_occurrence **previous =
		mem_zalloc(all.numbers.count + 1, sizeof(struct lcs_occurrence *));
	size_t longest = 0;

	for (size_t i = 0; i < all.numbers.count; i++) {
		const struct lcs_occurrence *one = &all.list[i];

		if (!lcs_occurrence_is_unique(one))
			continue;
		const size_t len = count_below(ends, longest, one->at[1]);

		previous[i] = len > 0 ? ends[len - 1] : NULL;
		ends[len] = one;
		longest = len == longest ? len + 1 : longest;
	}
	for (const struct lcs_occurrence *at = longest > 0 ? ends[longest - 1] : NULL; at;
		at = previous[at - all.list])
		pairing->pair_of[at->at[0]] = at->at[1];
	free(previous);
	free(ends);
	lcs_occurrences_release(&all);
}

/* Pairs a stretch by one table; a long one by its unique keys first, then between these. */
static void
pair_stretch(const struct pairing *pairing, const struct stretch *stretch)
{
	struct stretch between = *stretch;

	if (!fits_table(stretch))
		pair_unique(pairing, stretch);
	for (size_t i = stretch->from_begin; i <= stretch->from_end; i++) {
		const bool ends = i == stretch->from_end;

		if (!ends && pairing->pair_of[i] == LCS_NONE)
			continue;
		between.from_end = i;
		between.into_end = ends ? stretch->into_end : pairing->pair_of[i];
		pair_by_table(pairing, &between);
		between.from_begin = i + 1;
		between.into_begin = between.into_end + 1;
		if (ends)
			break;
	}
}

void
lcs_pair(struct lcs_keys from, struct lcs_keys into, struct allowance *cells, uint32_t *pair_of)
{
	const struct pairing pairing = {from, into, cells, pair_of};
	struct stretch rest = {0, from.count, 0, into.count};

	for (size_t i = 0; i < from.count; i++)
		pair_of[i] = LCS_NONE;
	while (rest.from_begin < from.count && rest.into_begin < into.count &&
		from.keys[rest.from_begin] == into.keys[rest.into_begin])
		pair_of[rest.from_begin++] = (uint32_t)rest.into_begin++;
	while (rest.from_end > rest.from_begin && rest.into_end > rest.into_begin &&
		from.keys[rest.from_end - 1] == into.keys[rest.into_end - 1])
		pair_of[--rest.from_end] = (uint32_t)--rest.into_end;
	pair_stretch(&pairing, &rest);
}
