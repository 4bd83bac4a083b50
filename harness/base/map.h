/*
 * Hash maps from keys to ids: struct map for keys of any kind, struct key_map for 64-bit numbers.
 * For keys that are text see base/text_map.h and base/strtab.h.
 *
 * A map is an open-addressing table of the ids of things that its user keeps, usually in an array.
 * It holds nothing of a thing but its hash, so it grows without a callback. A search visits the ids
 * whose hash equals that of the key, and its user compares the things:
 *
 *     uint64_t hash = hash_bytes(name, len);
 *
 *     for (struct map_search search = map_search(map, hash); map_next(&search);)
 *         if (is_called(&things[search.id], name, len))
 *             return search.id;
 *     map_add(map, hash, nthings);
 *
 * All zeros is an empty map. Entries cannot be removed one by one, only all at once.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Half of a hash is kept: it tells nearly all different keys apart without comparing them. */
struct map_slot {
	uint32_t hash;  /* the upper half */
	uint32_t entry; /* the id, plus one; 0: empty */
};

struct map {
	struct map_slot *slots; /* owned */
	size_t nslots;          /* a power of two, at least twice the count; or 0 */
	size_t count;
};

/* A search for a hash: map_next() sets `id`. */
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

/* Sets search->id to the next id with this hash; false if there is none. */
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
 * A map that gives each distinct 64-bit key (an id, a pair of ids, an address) a number: 0, 1, 2,
 * ... in the order in which the keys were added. Its user takes the number as an index into arrays.
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

#endif
