#include "ingest/pair_map.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

#define FIRST_SLOTS 64

void
pair_map_release(struct pair_map *map)
{
	free(map->slots);
	*map = (struct pair_map){0};
}

/* The slot that holds the key, or the empty one where it would go. */
static struct pair_slot *
find_slot(const struct pair_map *map, uint64_t key)
{
	size_t mask = map->nslots - 1;
	size_t at = hash_u64(key) & mask;

	while (map->slots[at].number > 0 && map->slots[at].key != key)
		at = (at + 1) & mask;
	return &map->slots[at];
}

static void
enlarge(struct pair_map *map)
{
	struct pair_map larger = {
		.nslots = map->nslots ? 2 * map->nslots : FIRST_SLOTS,
		.nentries = map->nentries,
	};

	larger.slots = mem_ztable(larger.nslots, sizeof(*larger.slots));
	for (size_t i = 0; i < map->nslots; i++)
		if (map->slots[i].number > 0)
			*find_slot(&larger, map->slots[i].key) = map->slots[i];
	free(map->slots);
	*map = larger;
}

uint32_t
pair_map_add(struct pair_map *map, uint32_t first, uint32_t second)
{
	uint64_t key = (uint64_t)first << 32 | second;

	if (2 * (size_t)map->nentries >= map->nslots)
		enlarge(map);
	struct pair_slot *slot = find_slot(map, key);

	if (slot->number == 0)
		*slot = (struct pair_slot){key, ++map->nentries};
	return slot->number - 1;
}
