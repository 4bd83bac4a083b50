/*
 * A hash map from pieces of text to numbers, for readers of text that repeats itself: the meaning
 * of a piece is computed once, and then looked up.
 *
 * An entry also holds a guess at the entry that will follow it, for its user to set: where the
 * guess is right, text_entry_starts() finds the next piece without looking for its end and without
 * hashing it.
 */
#ifndef BASE_TEXT_MAP_H
#define BASE_TEXT_MAP_H

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text_entry {
	struct text_entry *next; /* what followed it last; NULL at first; the user's */
	uint32_t value;
	uint32_t len;
	char text[];
};

/* All zeros is an empty map. */
struct text_map {
	struct arena arena; /* of the entries */
	struct text_entry **entries;
	size_t nentries;
	size_t capacity;
	struct map by_text; /* of indexes into entries */
};

/* Frees what it holds; the map is empty and can be used again. */
void text_map_release(struct text_map *map);
/* The bytes that the entries and their index take. */
size_t text_map_bytes(const struct text_map *map);

/*
 * A look-up in three steps, for callers that have several to make: the memory that each needs is
 * prefetched a step ahead, so that their cache misses overlap.
 */
struct text_key {
	const char *text;
	size_t len;
	uint64_t hash;
};

/* The first step: computes the hash of the key, and prefetches its slot. */
void text_map_prefetch_slot(const struct text_map *map, struct text_key *key);
/* The second step: prefetches the entry of the key. */
void text_map_prefetch_entry(const struct text_map *map, const struct text_key *key);
/* The third step: the entry of the key, as text_map_find() gives it. */
struct text_entry *text_map_find_key(const struct text_map *map, const struct text_key *key);

/* The entry of these bytes, NULL if there is none. It stays where it is until the release. */
struct text_entry *text_map_find(const struct text_map *map, const char *text, size_t len);
/* Adds a text that is not there yet; `len` below 4 GiB. */
struct text_entry *text_map_add(struct text_map *map, const char *text, size_t len, uint32_t value);
/*
 * Whether the `room` bytes at `at` start with the entry's text. Inline and by words of 8 bytes, of
 * which the last two overlap those before: a call of memcmp() costs more than comparing a short
 * text.
 */
static inline bool
text_entry_starts(const struct text_entry *entry, const char *at, size_t room)
{
	const char *text = entry->text;
	size_t len = entry->len;
	size_t i = 0;

	if (room < len)
		return false;
	if (len < 16)
		return memcmp(at, text, len) == 0;
	for (; i + 16 < len; i += 16)
		if (((text_load_word(at + i) ^ text_load_word(text + i)) |
			    (text_load_word(at + i + 8) ^ text_load_word(text + i + 8))) != 0)
			return false;
	i = len - 16;
	return ((text_load_word(at + i) ^ text_load_word(text + i)) |
		       (text_load_word(at + i + 8) ^ text_load_word(text + i + 8))) == 0;
}

#endif
