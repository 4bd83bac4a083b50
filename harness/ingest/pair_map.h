/*
 * A map from pairs of ids to numbers that count from 0, in the order in which they were added.
 */
#ifndef INGEST_PAIR_MAP_H
#define INGEST_PAIR_MAP_H

#include <stddef.h>
#include <stdint.h>

struct pair_slot {
	uint64_t key;
	uint32_t number; /* of the entry, plus one; 0: empty */
};

/* All zeros is an empty map. */
struct pair_map {
	struct pair_slot *slots;
	size_t nslots; /* a power of two */
	uint32_t nentries;
};

void pair_map_release(struct pair_map *map);
/* The number of the pair: map->nentries as it was before where it is new. */
uint32_t pair_map_add(struct pair_map *map, uint32_t first, uint32_t second);

#endif
