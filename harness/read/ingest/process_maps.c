/*
 * The memory of processes: the code that is mapped, with the unwind rows of its files, and the
 * kind of the memory that a lock lies in.
 */
#include "ingest/samples.h"

#include "base/log.h"
#include "base/mem.h"
#include "symbols/spaces.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Notes about modules that are shown in full; a capture of another machine has a hundred. */
#define NOTES_SHOWN 8

/* The rows of one module, NULL where it has none; of the vDSO where `module` is NULL. */
struct kept_table {
	const struct module *module;
	struct unwind_table *table;
};

struct ingest_cache *
ingest_cache_new(void)
{
	struct ingest_cache *cache = mem_zalloc(1, sizeof(*cache));

	cache->symbols = symbol_cache_new();
	return cache;
}

void
ingest_cache_free(struct ingest_cache *cache)
{
	if (!cache)
		return;
	for (size_t i = 0; i < cache->ntables; i++)
		unwind_table_free(cache->tables[i].table);
	free(cache->tables);
	symbol_cache_free(cache->symbols);
	free(cache);
}

void
ingest_cache_set_debuginfod(struct ingest_cache *cache, bool on)
{
	symbol_cache_set_debuginfod(cache->symbols, on);
}

void
ingest_cache_set_root(struct ingest_cache *cache, const char *root)
{
	symbol_cache_set_root(cache->symbols, root);
}

void
ingest_cache_warn(const struct ingest_cache *cache)
{
	size_t count = symbol_cache_nnotes(cache->symbols);

	for (size_t i = 0; i < count && i < NOTES_SHOWN; i++)
		log_warn("%s", symbol_cache_note(cache->symbols, i));
	if (count > NOTES_SHOWN)
		log_warn("and %zu more warnings of this kind", count - NOTES_SHOWN);
}

static const struct kept_table *
find(const struct ingest_cache *cache, const struct module *module)
{
	for (size_t i = 0; i < cache->ntables; i++)
		if (cache->tables[i].module == module)
			return &cache->tables[i];
	return NULL;
}

/*
 * The unwind rows of `file`, mapped in `symbolizer`; made at the first call. NULL where it has
 * none.
 */
static struct unwind_table *
ingest_cache_rows(struct ingest_cache *cache, struct symbolizer *symbolizer,
	const struct unwind_machine *machine, struct mapped_file *file)
{
	const struct module *module = symbolizer_module(symbolizer, file);
	const struct kept_table *kept = find(cache, module);
	struct unwind_table *table = NULL;
	struct elf_image image;
	struct elf_image debug;

	if (kept)
		return kept->table;
	if (symbolizer_open_image(symbolizer, file, &image, &debug))
		table = unwind_table_new(machine, &image, &debug);
	cache->tables = mem_grow(
		cache->tables, &cache->tables_capacity, cache->ntables + 1, sizeof(*cache->tables));
	cache->tables[cache->ntables++] = (struct kept_table){module, table};
	return table;
}

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

/* Kinds of memory; spaces.h only carries them. Never written. */
static struct mapped_file file_memory = {.number = 1, .kind = MAPPING_FILE};
static struct mapped_file shared_memory = {.number = 2, .kind = MAPPING_OTHER};
static struct mapped_file other_memory = {.number = 3, .kind = MAPPING_ANONYMOUS};
static struct mapped_file kernels_memory = {.number = 4, .kind = MAPPING_VDSO};

void
data_maps_release(struct data_maps *maps)
{
	spaces_release(&maps->spaces);
}

/* The memory that is mapped at `address` by now; NULL where none is. */
static const struct mapped_file *
memory_at(const struct space *space, uint64_t address)
{
	struct mapping mapping;

	return space_mapping(space, address, &mapping) && !mapping.stale ? mapping.file : NULL;
}

/* The kernel maps the zeroed data of a program right behind the rest of it. */
static bool
follows_file(const struct data_maps *maps, const struct record_mmap *map)
{
	const struct space *space = spaces_find(&maps->spaces, map->pid);

	return space && map->start > 0 && memory_at(space, map->start - 1) == &file_memory &&
	       strcmp(map->path, "[heap]") != 0;
}

static struct mapped_file *
memory_of(const struct data_maps *maps, const struct record_mmap *map)
{
	if (map->flags & MAP_SHARED)
		return &shared_memory;
	switch (mapping_kind_of(map->path)) {
	case MAPPING_FILE:
		return &file_memory;
	case MAPPING_JIT_DUMP:
	case MAPPING_ANONYMOUS:
		return follows_file(maps, map) ? &file_memory : &other_memory;
	case MAPPING_VDSO:
	case MAPPING_OTHER:
		break;
	}
	return &kernels_memory;
}

void
data_maps_add(struct data_maps *maps, const struct record_mmap *map)
{
	const struct mapping mapping = {
		.start = map->start,
		.end = map->start + map->size,
		.file = memory_of(maps, map),
	};

	if (map->size > 0 && mapping.end > mapping.start)
		spaces_map(&maps->spaces, map->pid, &mapping);
}

void
data_maps_fork(struct data_maps *maps, uint32_t pid, uint32_t parent_pid)
{
	spaces_fork(&maps->spaces, pid, parent_pid);
}

void
data_maps_exec(struct data_maps *maps, uint32_t pid)
{
	spaces_exec(&maps->spaces, pid);
}

/* The first thread's stack is not recorded: it lies below what the kernel maps for itself. */
static bool
is_below_kernels(const struct space *space, uint64_t address)
{
	struct mapping mapping;

	return space_next(space, address, &mapping) && mapping.file == &kernels_memory;
}

/*
 * The kind of lock at `address` for a thread of `pid` whose stack pointer is `sp`: in the memory of
 * a program file or library (also what follows that, its zeroed data), in memory that processes
 * share, on a stack, or in other memory, which is the heap; WAIT_LOCK where that is not known.
 * Stacks are the thread's own, and the first one of its process.
 */
static enum wait_reason
data_maps_lock(const struct data_maps *maps, uint32_t pid, uint64_t address, uint64_t sp)
{
	const struct space *space = spaces_find(&maps->spaces, pid);
	struct mapping mapping;

	if (!space)
		return WAIT_LOCK;
	if (!space_mapping(space, address, &mapping) || mapping.stale)
		return is_below_kernels(space, address) ? WAIT_STACK_LOCK : WAIT_LOCK;
	if (mapping.file == &file_memory)
		return WAIT_STATIC_LOCK;
	if (mapping.file == &shared_memory)
		return WAIT_SHARED_LOCK;
	if (mapping.file == &kernels_memory || (address >= sp && sp >= mapping.start))
		return WAIT_STACK_LOCK;
	return WAIT_HEAP_LOCK;
}

enum wait_reason
data_maps_lock_of(const struct data_maps *maps, const struct unwind_machine *machine,
	const struct perf_event_attr *attr, const struct record *record)
{
	const struct record_sample *sample = &record->u.sample;
	struct unwind_regs regs;

	if (!machine || !sample->user_regs || sample->user_regs_abi != PERF_SAMPLE_REGS_ABI_64 ||
		!unwind_regs_from_sample(machine, attr->sample_regs_user, sample->user_regs,
			sample->nuser_regs, &regs) ||
		(regs.known & UINT64_C(1) << machine->call_argument) == 0)
		return WAIT_UNKNOWN;
	return data_maps_lock(maps, record->id.pid, regs.values[machine->call_argument],
		regs.values[machine->sp]);
}
