#include "base/key_map.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

void
key_map_release(struct key_map *map)
{
	map_release(&map->map);
	free(map->keys);
	*map = (struct key_map){0};
}

static uint32_t
find_key(const struct key_map *map, uint64_t key, uint64_t hash)
{
	for (struct map_search search = map_search(&map->map, hash); map_next(&search);)
		if (map->keys[search.id] == key)
			return search.id;
	return KEY_MAP_NONE;
}

uint32_t
key_map_find(const struct key_map *map, uint64_t key)
{
	return find_key(map, key, hash_u64(key));
}

uint32_t
key_map_add(struct key_map *map, uint64_t key)
{
	uint64_t hash = hash_u64(key);
	uint32_t number = find_key(map, key, hash);

	if (number != KEY_MAP_NONE)
		return number;
	map->keys = mem_grow(map->keys, &map->capacity, map->count + 1, sizeof(*map->keys));
	map->keys[map->count] = key;
	map_add(&map->map, hash, (uint32_t)map->count);
	return (uint32_t)map->count++;
}
