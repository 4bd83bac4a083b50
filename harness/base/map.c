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

void
text_map_release(struct text_map *map)
{
	arena_release(&map->arena);
	free((void *)map->entries);
	map_release(&map->by_text);
	*map = (struct text_map){0};
}

size_t
text_map_bytes(const struct text_map *map)
{
	return map->arena.used_bytes + map->capacity * sizeof(struct text_entry *) +
	       map->by_text.nslots * sizeof(*map->by_text.slots);
}

static struct text_entry *
find_entry(const struct text_map *map, const char *text, size_t len, uint64_t hash)
{
	for (struct map_search search = map_search(&map->by_text, hash); map_next(&search);) {
		struct text_entry *entry = map->entries[search.id];

		if (entry->len == len && text_entry_starts(entry, text, len))
			return entry;
	}
	return NULL;
}

struct text_entry *
text_map_find(const struct text_map *map, const char *text, size_t len)
{
	return find_entry(map, text, len, hash_bytes(text, len));
}

void
text_map_prefetch_slot(const struct text_map *map, struct text_key *key)
{
	key->hash = hash_bytes(key->text, key->len);
	map_prefetch(&map->by_text, key->hash);
}

void
text_map_prefetch_entry(const struct text_map *map, const struct text_key *key)
{
	struct map_search search = map_search(&map->by_text, key->hash);

	if (map_next(&search))
		__builtin_prefetch(map->entries[search.id]);
}

struct text_entry *
text_map_find_key(const struct text_map *map, const struct text_key *key)
{
	return find_entry(map, key->text, key->len, key->hash);
}

struct text_entry *
text_map_add(struct text_map *map, const char *text, size_t len, uint32_t value)
{
	struct text_entry *entry = arena_alloc(&map->arena, sizeof(*entry) + len);

	*entry = (struct text_entry){.value = value, .len = (uint32_t)len};
	memcpy(entry->text, text, len);
	map->entries = mem_grow((void *)map->entries, &map->capacity, map->nentries + 1,
		sizeof(struct text_entry *));
	map->entries[map->nentries] = entry;
	map_add(&map->by_text, hash_bytes(text, len), (uint32_t)map->nentries++);
	return entry;
}
