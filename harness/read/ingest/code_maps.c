#include "ingest/code_maps.h"

#include "base/mem.h"
#include "ingest/ingest_cache.h"
#include "symbols/spaces.h"
#include "unwind/unwind_table.h"

#include <stdlib.h>

struct file_rows {
	struct mapped_file *file;
	struct unwind_table *table;
	bool own_names;
};

/* A mapping, as it is noted at its range. */
struct code_map {
	struct unwind_map unwind; /* the first member: found by the unwinder */
	struct file_rows file;
};

void
code_maps_release(struct code_maps *maps)
{
	free((void *)maps->spaces);
	arena_release(&maps->arena);
	key_map_release(&maps->by_file);
	free(maps->files);
	*maps = (struct code_maps){0};
}

static struct file_rows
add_mapped(struct code_maps *maps, struct mapped_file *file)
{
	size_t nfiles = maps->by_file.count;
	uint32_t number = key_map_add(&maps->by_file, (uintptr_t)file);

	if (number < nfiles)
		return maps->files[number];
	maps->files =
		mem_grow(maps->files, &maps->files_capacity, nfiles + 1, sizeof(*maps->files));
	struct file_rows *rows = &maps->files[number];

	*rows = (struct file_rows){
		.file = file, .own_names = symbolizer_has_own_names(maps->symbolizer, file)};
	if (file->kind == MAPPING_FILE || file->kind == MAPPING_VDSO)
		rows->table = ingest_cache_rows(maps->cache, maps->symbolizer, maps->machine, file);
	return *rows;
}

static bool
is_known(const void *context, const struct range *range)
{
	const struct code_maps *maps = context;

	return key_map_find(&maps->by_file, (uintptr_t)range->item) != KEY_MAP_NONE;
}

bool
code_maps_are_loaded(const struct code_maps *maps, uint32_t pid)
{
	const struct space *space = symbolizer_maps(maps->symbolizer, pid);

	return !space || (range_map_all_bare(&space->maps, is_known, maps) &&
				 range_map_all_bare(&space->before, is_known, maps));
}

/* Makes the note of a range; the mark of those whose file has trampolines is its rows. */
static void *
make_map(void *context, const struct range *range, const void **mark)
{
	struct code_maps *maps = context;
	const struct mapping mapping = mapping_of_range(range);
	struct code_map *map = arena_alloc(&maps->arena, sizeof(*map));

	map->file = add_mapped(maps, mapping.file);
	map->unwind = (struct unwind_map){
		.start = mapping.start,
		.end = mapping.end,
		.file_offset = mapping.file_offset,
		.table = map->file.table,
	};
	if (map->file.table && unwind_table_trampoline(map->file.table) > 0)
		*mark = map->file.table;
	return map;
}

static const struct unwind_map *
find_map(const void *context, uint64_t address)
{
	const struct space *space = context;
	const struct code_map *map = range_map_note(&space->maps, address);

	if (!map)
		map = range_map_note(&space->before, address);
	return map ? &map->unwind : NULL;
}

struct symbol_range
code_space_range(const struct code_space *space, const struct unwind_map *map)
{
	const struct code_map *its = (const struct code_map *)map;
	const struct mapping mapping = {
		.start = map->start,
		.end = map->end,
		.file_offset = map->file_offset,
		.file = its->file.file,
	};

	return symbolizer_range_of(&space->maps, &mapping, its->file.own_names);
}

const struct code_space *
code_maps_made(const struct code_maps *maps, uint32_t pid)
{
	const struct space *space = symbolizer_maps(maps->symbolizer, pid);

	return space && space->id < maps->capacity ? maps->spaces[space->id] : NULL;
}

const struct code_space *
code_maps_of(struct code_maps *maps, uint32_t pid)
{
	const struct space *from = symbolizer_maps(maps->symbolizer, pid);

	if (!from)
		return NULL;
	if (from->id < maps->capacity && maps->spaces[from->id])
		return maps->spaces[from->id];
	maps->spaces = mem_grow((void *)maps->spaces, &maps->capacity, (size_t)from->id + 1,
		sizeof(struct code_space *));

	struct code_space *space = arena_alloc(&maps->arena, sizeof(*space));

	range_map_annotate(&from->maps, make_map, maps);
	range_map_annotate(&from->before, make_map, maps);
	space->maps = symbolizer_keep_maps(maps->symbolizer, pid);

	const void *mark = range_map_mark(&space->maps.maps);
	const struct unwind_table *trampolines = mark ? mark : range_map_mark(&space->maps.before);

	space->unwind = (struct unwind_space){.find = find_map, .context = &space->maps};
	if (trampolines) {
		space->unwind.trampolines = trampolines;
		space->unwind.trampoline_bytes = unwind_table_trampoline(trampolines);
	}
	maps->spaces[from->id] = space;
	return space;
}

void
code_maps_each(const struct code_maps *maps, code_maps_visitor visit, void *context)
{
	for (size_t i = 0; i < maps->by_file.count; i++)
		if (maps->files[i].table)
			visit(context, maps->files[i].file->key.path, maps->files[i].table);
}
