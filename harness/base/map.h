/*
 * A hash map from keys to ids: an open-addressing table of the ids of things that its user keeps,
 * usually in an array.
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
 * are plain numbers there is base/key_map.h.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
