#include "base/map.h"

#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

#define FIRST_SLOTS 64

void
map_release(struct map *map)
{
	free(map->slots);
	*map = (struct map){0};
}

/* Puts the slot into the first empty place of its hash; there is one. */
static void
fill_slot(struct map *map, struct map_slot slot)
{
	size_t mask = map->nslots - 1;
	size_t at = slot.hash & mask;

	while (map->slots[at].entry != 0)
		at = (at + 1) & mask;
	map->slots[at] = slot;
}

static void
grow(struct map *map)
{
	struct map_slot *old = map->slots;
	size_t nold = map->nslots;

	map->nslots = nold > 0 ? 2 * nold : FIRST_SLOTS;
	map->slots = mem_ztable(map->nslots, sizeof(*map->slots));
	for (size_t i = 0; i < nold; i++)
		if (old[i].entry != 0)
			fill_slot(map, old[i]);
	free(old);
}

void
map_add(struct map *map, uint64_t hash, uint32_t id)
{
	assert(id < UINT32_MAX);
	if (2 * (map->count + 1) > map->nslots)
		grow(map);
	fill_slot(map, (struct map_slot){.hash = (uint32_t)(hash >> 32), .entry = id + 1});
	map->count++;
}

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
