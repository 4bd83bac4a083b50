#include "ingest/code_maps.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct file_rows {
	struct mapped_file *file;
	struct unwind_table *table;
	bool own_names;
};

void
code_maps_release(struct code_maps *maps)
{
	for (size_t i = 0; i < maps->capacity; i++) {
		if (!maps->spaces[i])
			continue;
		free(maps->spaces[i]->maps.maps);
		free(maps->spaces[i]->unwind.maps);
		free(maps->spaces[i]->ranges);
		free(maps->spaces[i]);
	}
	free((void *)maps->spaces);
	key_map_release(&maps->by_file);
	free(maps->files);
	*maps = (struct code_maps){0};
}

static struct file_rows
add_file(struct code_maps *maps, struct mapped_file *file)
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

bool
code_maps_are_loaded(const struct code_maps *maps, uint32_t pid)
{
	const struct space *space = symbolizer_maps(maps->symbolizer, pid);

	for (size_t i = 0; space && i < space->nmaps; i++)
		if (key_map_find(&maps->by_file, (uintptr_t)space->maps[i].file) == KEY_MAP_NONE)
			return false;
	return true;
}

static struct space
copy_space(const struct space *from)
{
	struct space space = *from;

	space.maps = mem_zalloc(from->nmaps + 1, sizeof(*space.maps));
	space.capacity = from->nmaps;
	if (from->nmaps > 0)
		memcpy(space.maps, from->maps, from->nmaps * sizeof(*space.maps));
	return space;
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

	struct code_space *space = mem_zalloc(1, sizeof(*space));

	space->maps = copy_space(from);
	space->unwind.nmaps = from->nmaps;
	space->unwind.maps = mem_zalloc(from->nmaps + 1, sizeof(*space->unwind.maps));
	space->ranges = mem_zalloc(from->nmaps + 1, sizeof(*space->ranges));
	for (size_t i = 0; i < from->nmaps; i++) {
		const struct mapping *mapping = &from->maps[i];
		struct file_rows file = add_file(maps, mapping->file);

		space->unwind.maps[i] = (struct unwind_map){
			.start = mapping->start,
			.end = mapping->end,
			.file_offset = mapping->file_offset,
			.table = file.table,
		};
		if (file.table && unwind_table_trampoline(file.table) > 0) {
			space->unwind.trampolines = file.table;
			space->unwind.trampoline_bytes = unwind_table_trampoline(file.table);
		}
		space->ranges[i] = symbolizer_range_of(from, mapping, file.own_names);
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
