#include "ingest/code_maps.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct file_rows {
	struct mapped_file *file; /* NULL: the slot is empty */
	struct unwind_table *table;
	bool own_names;
};

void
code_maps_init(struct code_maps *maps, struct symbolizer *symbolizer, struct ingest_cache *cache,
	const struct unwind_machine *machine)
{
	*maps = (struct code_maps){
		.symbolizer = symbolizer,
		.cache = cache,
		.machine = machine,
		.nslots = 256,
	};
	maps->files = mem_zalloc(maps->nslots, sizeof(*maps->files));
}

void
code_maps_release(struct code_maps *maps)
{
	for (size_t i = 0; i < maps->capacity; i++) {
		if (!maps->spaces[i])
			continue;
		free(maps->spaces[i]->maps.maps);
		free(maps->spaces[i]->unwind.maps);
		free(maps->spaces[i]->stretches);
		free(maps->spaces[i]);
	}
	free((void *)maps->spaces);
	free(maps->files);
	*maps = (struct code_maps){0};
}

static struct file_rows *
find_slot(const struct code_maps *maps, const struct mapped_file *file)
{
	size_t mask = maps->nslots - 1;
	size_t at = hash_u64((uintptr_t)file) & mask;

	while (maps->files[at].file && maps->files[at].file != file)
		at = (at + 1) & mask;
	return &maps->files[at];
}

static void
grow(struct code_maps *maps)
{
	struct file_rows *old = maps->files;
	size_t nold = maps->nslots;

	maps->nslots *= 2;
	maps->files = mem_zalloc(maps->nslots, sizeof(*maps->files));
	for (size_t i = 0; i < nold; i++)
		if (old[i].file)
			*find_slot(maps, old[i].file) = old[i];
	free(old);
}

static struct file_rows
meet(struct code_maps *maps, struct mapped_file *file)
{
	struct file_rows *slot = find_slot(maps, file);

	if (slot->file)
		return *slot;
	if (file->kind == MAPPING_FILE || file->kind == MAPPING_VDSO)
		slot->table = ingest_cache_rows(maps->cache, maps->symbolizer, maps->machine, file);
	slot->own_names = symbolizer_has_own_names(maps->symbolizer, file);
	slot->file = file;

	struct file_rows met = *slot;

	if (++maps->nfiles * 2 > maps->nslots)
		grow(maps);
	return met;
}

bool
code_maps_are_met(const struct code_maps *maps, uint32_t pid)
{
	const struct space *space = symbolizer_maps(maps->symbolizer, pid);

	for (size_t i = 0; space && i < space->nmaps; i++)
		if (!find_slot(maps, space->maps[i].file)->file)
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
	space->stretches = mem_zalloc(from->nmaps + 1, sizeof(*space->stretches));
	for (size_t i = 0; i < from->nmaps; i++) {
		const struct mapping *mapping = &from->maps[i];
		struct file_rows file = meet(maps, mapping->file);

		space->unwind.maps[i] = (struct unwind_map){
			.start = mapping->start,
			.end = mapping->end,
			.file_offset = mapping->file_offset,
			.table = file.table,
		};
		space->stretches[i] = symbolizer_stretch_of(from, mapping, file.own_names);
	}
	maps->spaces[from->id] = space;
	return space;
}

void
code_maps_each(const struct code_maps *maps, code_maps_visitor visit, void *context)
{
	for (size_t i = 0; i < maps->nslots; i++)
		if (maps->files[i].file && maps->files[i].table)
			visit(context, maps->files[i].file->path, maps->files[i].table);
}
