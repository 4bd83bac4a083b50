#include "base/text_map.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

#define FIRST_SLOTS 1024

void
text_map_init(struct text_map *map)
{
	*map = (struct text_map){.nslots = FIRST_SLOTS};
	arena_init(&map->arena);
	map->slots = mem_ztable(map->nslots, sizeof(*map->slots));
}

void
text_map_release(struct text_map *map)
{
	arena_release(&map->arena);
	free(map->slots);
	*map = (struct text_map){0};
}

void
text_map_clear(struct text_map *map)
{
	text_map_release(map);
	text_map_init(map);
}

size_t
text_map_bytes(const struct text_map *map)
{
	return map->arena.used_bytes + map->nslots * sizeof(*map->slots);
}

/* The slot that holds the text, or the empty one where it would go. */
static size_t
find_slot(const struct text_map *map, const char *text, size_t len, uint64_t hash)
{
	size_t mask = map->nslots - 1;

	for (size_t at = hash & mask;; at = (at + 1) & mask) {
		const struct text_slot *slot = &map->slots[at];

		if (!slot->entry || (slot->hash == hash && slot->entry->len == len &&
					    text_entry_starts(slot->entry, text, len)))
			return at;
	}
}

struct text_entry *
text_map_find(const struct text_map *map, const char *text, size_t len)
{
	return map->slots[find_slot(map, text, len, hash_bytes(text, len))].entry;
}

void
text_map_ask_slot(const struct text_map *map, struct text_key *key)
{
	key->hash = hash_bytes(key->text, key->len);
	__builtin_prefetch(&map->slots[key->hash & (map->nslots - 1)]);
}

void
text_map_ask_entry(const struct text_map *map, const struct text_key *key)
{
	__builtin_prefetch(map->slots[key->hash & (map->nslots - 1)].entry);
}

struct text_entry *
text_map_take(const struct text_map *map, const struct text_key *key)
{
	return map->slots[find_slot(map, key->text, key->len, key->hash)].entry;
}

static void
rehash(struct text_map *map)
{
	struct text_slot *old = map->slots;
	size_t nold = map->nslots;

	map->nslots *= 2;
	map->slots = mem_ztable(map->nslots, sizeof(*map->slots));
	for (size_t i = 0; i < nold; i++) {
		const struct text_entry *entry = old[i].entry;

		if (entry)
			map->slots[find_slot(map, entry->text, entry->len, old[i].hash)] = old[i];
	}
	free(old);
}

struct text_entry *
text_map_add(struct text_map *map, const char *text, size_t len, uint32_t value)
{
	uint64_t hash = hash_bytes(text, len);
	struct text_entry *entry = arena_alloc(&map->arena, sizeof(*entry) + len);

	*entry = (struct text_entry){.value = value, .len = (uint32_t)len};
	memcpy(entry->text, text, len);
	if (map->nentries * 2 >= map->nslots)
		rehash(map);
	map->slots[find_slot(map, text, len, hash)] =
		(struct text_slot){.hash = hash, .entry = entry};
	map->nentries++;
	return entry;
}
