#include "base/map.h"

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
