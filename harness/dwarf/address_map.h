/*
 * Numbers by addresses in memory, such as those of entries and strings in debug information.
 */
#ifndef DWARF_ADDRESS_MAP_H
#define DWARF_ADDRESS_MAP_H

#include <stddef.h>
#include <stdint.h>

struct address_slot {
	uintptr_t key;
	uint32_t value;
};

/* Zero it first. */
struct address_map {
	struct address_slot *slots; /* owned */
	size_t nslots;              /* a power of two, or 0 */
	size_t count;
};

void address_map_release(struct address_map *map);
/* The number of `key`, which is not NULL; 0 if it has none. */
uint32_t address_map_find(const struct address_map *map, const void *key);
/* Gives `key`, which has none, the number `value`. */
void address_map_add(struct address_map *map, const void *key, uint32_t value);

#endif
