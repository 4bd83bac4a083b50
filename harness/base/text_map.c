#include "base/text_map.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

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
