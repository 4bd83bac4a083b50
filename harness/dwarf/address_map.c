#include "dwarf/address_map.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

#define SLOTS_MIN 256

void
address_map_release(struct address_map *map)
{
	free(map->slots);
	*map = (struct address_map){0};
}

/* The slot of `key`, or the empty one where it would go. */
static struct address_slot *
slot_of(const struct address_map *map, uintptr_t key)
{
	size_t mask = map->nslots - 1;
	size_t at = (size_t)(hash_u64(key) >> 32) & mask;

	while (map->slots[at].key != 0 && map->slots[at].key != key)
		at = (at + 1) & mask;
	return &map->slots[at];
}

uint32_t
address_map_find(const struct address_map *map, const void *key)
{
	return map->nslots ? slot_of(map, (uintptr_t)key)->value : 0;
}

static void
enlarge(struct address_map *map)
{
	struct address_map larger = {.nslots = map->nslots ? 2 * map->nslots : SLOTS_MIN};

	larger.count = map->count;
	larger.slots = mem_zalloc(larger.nslots, sizeof(*larger.slots));
	for (size_t i = 0; i < map->nslots; i++)
		if (map->slots[i].key != 0)
			*slot_of(&larger, map->slots[i].key) = map->slots[i];
	free(map->slots);
	*map = larger;
}

void
address_map_add(struct address_map *map, const void *key, uint32_t value)
{
	if (2 * map->count >= map->nslots)
		enlarge(map);
	*slot_of(map, (uintptr_t)key) = (struct address_slot){(uintptr_t)key, value};
	map->count++;
}
