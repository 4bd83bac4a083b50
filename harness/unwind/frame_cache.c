#include "unwind/frame_cache.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

#define FIRST_SLOTS 64

void
frame_cache_init(struct frame_cache *cache)
{
	*cache = (struct frame_cache){.nslots = FIRST_SLOTS, .ntables = 1};
	cache->frames = mem_zalloc((size_t)1 << FRAME_CACHE_BITS, sizeof(*cache->frames));
	cache->slots = mem_zalloc(cache->nslots, sizeof(*cache->slots));
	cache->tables = mem_grow(NULL, &cache->capacity, cache->ntables, sizeof(*cache->tables));
}

void
frame_cache_release(struct frame_cache *cache)
{
	free(cache->frames);
	free(cache->slots);
	free(cache->tables);
	*cache = (struct frame_cache){0};
}

/* The slot of the table, or the empty one where it belongs. */
static uint32_t *
find_slot(const struct frame_cache *cache, const struct unwind_table *table)
{
	size_t at = hash_u64((uintptr_t)table) & (cache->nslots - 1);

	while (cache->slots[at] != 0 && cache->tables[cache->slots[at]].table != table)
		at = (at + 1) & (cache->nslots - 1);
	return &cache->slots[at];
}

uint32_t
frame_cache_table(const struct frame_cache *cache, const struct unwind_table *table)
{
	return *find_slot(cache, table);
}

static uint32_t
add_table(struct frame_cache *cache, struct unwind_table *table)
{
	if (cache->ntables * 2 > cache->nslots) {
		free(cache->slots);
		cache->nslots *= 2;
		cache->slots = mem_zalloc(cache->nslots, sizeof(*cache->slots));
		for (size_t i = 1; i < cache->ntables; i++)
			*find_slot(cache, cache->tables[i].table) = (uint32_t)i;
	}
	cache->tables = mem_grow(
		cache->tables, &cache->capacity, cache->ntables + 1, sizeof(*cache->tables));
	cache->tables[cache->ntables] = (struct numbered_table){.table = table};
	*find_slot(cache, table) = (uint32_t)cache->ntables;
	return (uint32_t)cache->ntables++;
}

static const struct unwind_map *
find_map(const struct unwind_space *space, uint64_t address)
{
	size_t low = 0;
	size_t high = space->nmaps;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (space->maps[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address < space->maps[low - 1].end ? &space->maps[low - 1] : NULL;
}

void
frame_cache_fill(struct frame_cache *cache, struct cached_frame *frame,
	const struct unwind_space *space, uint64_t address)
{
	const struct unwind_map *map = find_map(space, address);
	struct unwind_found found;

	*frame = (struct cached_frame){
		.address = address, .space = space->id, .used = true, .mapped = map != NULL};
	if (!map || !map->table ||
		!unwind_table_find(map->table, address - map->start + map->file_offset, &found))
		return;
	frame->saves = found.saves;
	frame->cfa_value = found.row->cfa_value;
	frame->cfa_kind = found.row->cfa_kind;
	frame->cfa_reg = found.row->cfa_reg;
	frame->return_column = found.row->return_column;
	frame->signal = found.row->signal;
	frame->table = frame_cache_table(cache, map->table);
	if (frame->table == 0)
		frame->table = add_table(cache, map->table);
}
