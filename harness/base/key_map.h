/*
 * Numbers keys: each distinct 64-bit key (an id, a pair of ids, an address) gets a number, from 0
 * in the order in which they were added, which its user takes as an index into arrays.
 */
#ifndef BASE_KEY_MAP_H
#define BASE_KEY_MAP_H

#include "base/map.h"

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
