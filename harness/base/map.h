/*
 * Hash maps: from keys of any kind, from numbers and from text.
 *
 * struct map goes from keys to ids: an open-addressing table of the ids of things that its user
 * keeps, usually in an array.
 *
 * The map knows nothing of a thing but its hash, so it grows without a callback. A search visits
 * the ids whose hash equals that of the key, and its user compares the things:
 *
 *     uint64_t hash = hash_bytes(name, len);
 *
 *     for (struct map_search search = map_search(map, hash); map_next(&search);)
 *         if (is_called(&things[search.id], name, len))
 *             return search.id;
 *     map_add(map, hash, nthings);
 *
 * All zeros is an empty map. Entries cannot be removed one by one, only all at once. For keys that
 * are plain numbers there is struct key_map.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Half of the hash finds nearly all mismatches without comparing the keys. */
struct map_slot {
	uint32_t hash;  /* the upper half */
	uint32_t entry; /* the id, plus one; 0: empty */
};

struct map {
	struct map_slot *slots; /* owned */
	size_t nslots;          /* a power of two, at least twice the count; or 0 */
	size_t count;
};

/* A search: `id` is what map_next() has found. */
struct map_search {
	const struct map *map;
	size_t at;
	uint32_t hash;
	uint32_t id;
};

/* Frees the slots; the map is empty and can be used again. */
void map_release(struct map *map);
/* Adds `id`, below UINT32_MAX, of something with this 64-bit hash, which is not there yet. */
void map_add(struct map *map, uint64_t hash, uint32_t id);

/* Starts a search for this hash. Nothing may be added to the map before it ends. */
static inline struct map_search
map_search(const struct map *map, uint64_t hash)
{
	return (struct map_search){
		.map = map, .at = (size_t)(hash >> 32), .hash = (uint32_t)(hash >> 32)};
}

/* Whether there is one more with this hash. */
static inline bool
map_next(struct map_search *search)
{
	const struct map *map = search->map;

	if (map->nslots == 0)
		return false;
	for (size_t at = search->at;; at++) {
		struct map_slot slot = map->slots[at & (map->nslots - 1)];

		if (slot.entry == 0)
			return false;
		if (slot.hash == search->hash) {
			search->at = at + 1;
			search->id = slot.entry - 1;
			return true;
		}
	}
}

/* Prefetches the slot where a search for this hash will start. */
static inline void
map_prefetch(const struct map *map, uint64_t hash)
{
	if (map->nslots > 0)
		__builtin_prefetch(&map->slots[hash >> 32 & (map->nslots - 1)]);
}

/*
 * Numbers keys: each distinct 64-bit key (an id, a pair of ids, an address) gets a number, from 0
 * in the order in which they were added, which its user takes as an index into arrays.
 */

#define KEY_MAP_NONE UINT32_MAX

/* All zeros is an empty map. */
struct key_map {
	struct map map;
	uint64_t *keys; /* by number; owned */
	size_t count;
	size_t capacity;
};

/* Frees what it holds; the map is empty and can be used again. */
void key_map_release(struct key_map *map);
/* The number of the key, KEY_MAP_NONE if it was not added. */
uint32_t key_map_find(const struct key_map *map, uint64_t key);
/* The number of the key, added if new: map->count as it was before. */
uint32_t key_map_add(struct key_map *map, uint64_t key);

/* Two ids as one key. */
static inline uint64_t
key_of_pair(uint32_t first, uint32_t second)
{
	return (uint64_t)first << 32 | second;
}

/*
 * A map from pieces of text to numbers, for readers of text that repeats itself: the meaning of a
 * piece is computed once, and then looked up.
 *
 * An entry also holds a guess at the entry that will follow it, for its user to set: where the
 * guess is right, text_entry_starts() finds the next piece without looking for its end and without
 * hashing it.
 */

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

/* Computes the hash of the key, and prefetches its slot. */
void text_map_prefetch_slot(const struct text_map *map, struct text_key *key);
/* Prefetches its entry. */
void text_map_prefetch_entry(const struct text_map *map, const struct text_key *key);
/* Its entry, as text_map_find(). */
struct text_entry *text_map_find_key(const struct text_map *map, const struct text_key *key);

/* The entry of these bytes, NULL if there is none. It stays where it is until the release. */
struct text_entry *text_map_find(const struct text_map *map, const char *text, size_t len);
/* Adds a text that is not there yet; `len` below 4 GiB. */
struct text_entry *text_map_add(struct text_map *map, const char *text, size_t len, uint32_t value);

static inline uint64_t
text_map_load(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/*
 * Whether the `room` bytes at `at` start with the entry's text. In line and by words, the last of
 * them overlapping: most texts are too short for a call of memcmp() to pay.
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
		if (((text_map_load(at + i) ^ text_map_load(text + i)) |
			    (text_map_load(at + i + 8) ^ text_map_load(text + i + 8))) != 0)
			return false;
	i = len - 16;
	return ((text_map_load(at + i) ^ text_map_load(text + i)) |
		       (text_map_load(at + i + 8) ^ text_map_load(text + i + 8))) == 0;
}

#endif
