#include "symbols/symbolizer.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "dwarf/inlines.h"
#include "elf/elf_symbols.h"
#include "symbols/module.h"
#include "symbols/module_file.h"
#include "symbols/module_table.h"
#include "symbols/spaces.h"
#include "symbols/symbols_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_MODULE "[kernel.kallsyms]"

struct symbol_cache {
	struct module_table modules;
	struct kernel_names kernel;
	struct symtab vdso;
	bool vdso_loaded;
};

struct symbolizer {
	struct symbol_cache *cache;
	struct arena arena;
	struct spaces spaces;
	struct strtab paths;
	struct mapped_file **files; /* by path's id: the last one of that path */
	size_t files_capacity;
	uint32_t nfiles;
	struct jit_names jits;
	struct kernel_space kernel;
	bool inlining;
};

struct symbol_cache *
symbol_cache_new(void)
{
	struct symbol_cache *cache = mem_zalloc(1, sizeof(*cache));

	module_table_init(&cache->modules);
	return cache;
}

void
symbol_cache_free(struct symbol_cache *cache)
{
	if (!cache)
		return;
	module_table_release(&cache->modules);
	kernel_names_release(&cache->kernel);
	symtab_release(&cache->vdso);
	free(cache);
}

size_t
symbol_cache_nnotes(struct symbol_cache *cache)
{
	module_table_take_notes(&cache->modules);
	return module_table_nnotes(&cache->modules);
}

const char *
symbol_cache_note(const struct symbol_cache *cache, size_t note)
{
	return module_table_note(&cache->modules, note);
}

void
symbol_cache_put_missing(const struct symbol_cache *cache, struct buf *out)
{
	module_table_put_missing(&cache->modules, out);
}

void
symbol_cache_set_debuginfod(struct symbol_cache *cache, bool on)
{
	if (on && cache->modules.servers.state == DEBUGINFOD_OFF)
		cache->modules.servers.state = DEBUGINFOD_ON;
	else if (!on)
		debuginfod_release(&cache->modules.servers);
}

void
symbol_cache_set_root(struct symbol_cache *cache, const char *root)
{
	module_table_set_root(&cache->modules, root);
}

struct symbolizer *
symbolizer_new(struct symbol_cache *cache)
{
	struct symbolizer *symbolizer = mem_zalloc(1, sizeof(*symbolizer));

	symbolizer->cache = cache;
	if (cache->modules.epoch++ == 0)
		kernel_names_identify(&cache->kernel);
	kernel_space_init(&symbolizer->kernel, &cache->kernel, &cache->modules);
	symbolizer->jits.modules = &cache->modules;
	strtab_init(&symbolizer->paths);
	return symbolizer;
}

void
symbolizer_free(struct symbolizer *symbolizer)
{
	if (!symbolizer)
		return;
	jit_names_release(&symbolizer->jits);
	free((void *)symbolizer->files);
	strtab_release(&symbolizer->paths);
	spaces_release(&symbolizer->spaces);
	kernel_space_release(&symbolizer->kernel);
	arena_release(&symbolizer->arena);
	free(symbolizer);
}

void
symbolizer_set_os_release(struct symbolizer *symbolizer, const char *release)
{
	kernel_space_set_release(&symbolizer->kernel, release);
}

void
symbolizer_kernel_symbol(
	struct symbolizer *symbolizer, uint64_t address, uint64_t size, const char *name, bool gone)
{
	kernel_space_symbol(&symbolizer->kernel, address, size, name, gone);
}

void
symbolizer_set_capture(struct symbolizer *symbolizer, const char *path)
{
	module_table_set_capture(&symbolizer->cache->modules, path);
}

static bool
same_mapped(const struct mapped_file *file, const struct symbol_map *map)
{
	struct build_id id = build_id_of(map->build_id, map->build_id_len);

	return file->data == map->data && file->key.inode == map->inode &&
	       build_id_equal(&file->key.build_id, &id);
}

static struct mapped_file *
intern_file(struct symbolizer *symbolizer, const struct symbol_map *map)
{
	str_id id = strtab_intern_str(&symbolizer->paths, map->path);

	symbolizer->files = mem_grow((void *)symbolizer->files, &symbolizer->files_capacity,
		(size_t)id + 1, sizeof(struct mapped_file *));

	struct mapped_file *file = symbolizer->files[id];

	if (file && same_mapped(file, map))
		return file;
	file = arena_alloc(&symbolizer->arena, sizeof(*file));
	file->number = ++symbolizer->nfiles;
	file->key = (struct module_key){
		.path = strtab_str(&symbolizer->paths, id),
		.build_id = build_id_of(map->build_id, map->build_id_len),
		.inode = map->inode,
		.pid = map->pid,
		.map_offset = map->file_offset,
		.map_bytes = map->size,
	};
	file->kind = mapping_kind_of(map->path);
	file->data = map->data;
	/* Memory without a file can become code later; a file's data has no names to look up. */
	if (map->data && file->kind == MAPPING_FILE)
		file->kind = MAPPING_OTHER;
	symbolizer->files[id] = file;
	return file;
}

void
symbolizer_map(struct symbolizer *symbolizer, const struct symbol_map *map)
{
	if (map->kernel) {
		kernel_space_map(&symbolizer->kernel, map);
		return;
	}
	if (map->size == 0 || map->start + map->size < map->start)
		return;

	struct mapping mapping = {
		.start = map->start,
		.end = map->start + map->size,
		.file_offset = map->file_offset,
		.file = intern_file(symbolizer, map),
	};

	spaces_map(&symbolizer->spaces, map->pid, &mapping);
}

void
symbolizer_fork(struct symbolizer *symbolizer, uint32_t pid, uint32_t parent_pid)
{
	spaces_fork(&symbolizer->spaces, pid, parent_pid);
}

void
symbolizer_exec(struct symbolizer *symbolizer, uint32_t pid)
{
	spaces_exec(&symbolizer->spaces, pid);
}

const struct space *
symbolizer_maps(const struct symbolizer *symbolizer, uint32_t pid)
{
	return spaces_find(&symbolizer->spaces, pid);
}

struct space
symbolizer_keep_maps(struct symbolizer *symbolizer, uint32_t pid)
{
	return spaces_keep(&symbolizer->spaces, pid);
}

static void
fill_symbol(struct symtab *tab, struct symtab_entry *entry, uint64_t address,
	enum symbol_source source, struct symbol *symbol)
{
	symbol->name = symtab_name(tab, entry);
	symbol->offset = address - entry->start;
	symbol->source = source;
	symbol->label = entry->label;
	if (entry->module)
		symbol->module = entry->module;
}

/* Looks `address` up in a table; nothing is changed where it has no symbol there. */
static void
take_symbol(struct symtab *tab, uint64_t address, enum symbol_source source, struct symbol *symbol)
{
	struct symtab_entry *entry = symtab_find(tab, address);

	if (entry)
		fill_symbol(tab, entry, address, source, symbol);
}

static void
resolve_kernel(struct symbolizer *symbolizer, uint64_t address, struct symbol *symbol)
{
	struct symtab_entry *entry = kernel_space_find(&symbolizer->kernel, address);

	symbol->module = KERNEL_MODULE;
	/* Names of the kernel are shown as it lists them: no table demangles them. */
	if (entry)
		fill_symbol(NULL, entry, address, SYMBOL_KERNEL, symbol);
}

static void
resolve_jit(struct symbolizer *symbolizer, const struct space *space, uint64_t address,
	struct symbol *symbol)
{
	take_symbol(jit_names_of(&symbolizer->jits, space->pid, space->jit_dump), address,
		SYMBOL_JIT, symbol);
}

static struct symtab *
vdso_of(struct symbol_cache *cache)
{
	struct elf_image image;

	if (!cache->vdso_loaded && elf_image_open_vdso(&image)) {
		if (elf_image_symbols(&image, &image, SHT_SYMTAB, &cache->vdso) == 0)
			elf_image_symbols(&image, &image, SHT_DYNSYM, &cache->vdso);
		elf_image_close(&image);
		symtab_finish(&cache->vdso, false);
	}
	cache->vdso_loaded = true;
	return &cache->vdso;
}

/* The module of a mapped file, loaded on first use. */
static struct module *
module_of(struct symbolizer *symbolizer, struct mapped_file *file)
{
	if (!file->module)
		file->module = module_find(&symbolizer->cache->modules, &file->key);
	return file->module;
}

const struct module *
symbolizer_module(struct symbolizer *symbolizer, struct mapped_file *file)
{
	return file->kind == MAPPING_FILE ? module_of(symbolizer, file) : NULL;
}

/* Files that cannot be read have none. */
bool
symbolizer_has_own_names(struct symbolizer *symbolizer, struct mapped_file *file)
{
	if (file->own_names_known)
		return file->own_names;
	file->own_names_known = true;
	if (file->kind != MAPPING_FILE)
		file->own_names = file->kind == MAPPING_VDSO;
	else
		file->own_names = !module_file_is_deleted(file->key.path) &&
				  module_of(symbolizer, file)->code;
	return file->own_names;
}

struct symbol_range
symbolizer_range_of(const struct space *space, const struct mapping *mapping, bool own_names)
{
	struct symbol_range range = {.start = mapping->start, .end = mapping->end};

	if (own_names) {
		range.offset = mapping->file_offset;
		range.owner = mapping->file->number << 1 | SYMBOL_OWNER_FILE;
	} else {
		range.offset = mapping->start;
		range.owner = space->id << 1;
	}
	return range;
}

struct symbol_range
symbolizer_range(struct symbolizer *symbolizer, const struct space *space, uint64_t address)
{
	struct mapping mapping;

	if (!space || !space_mapping(space, address, &mapping))
		return (struct symbol_range){address, address + 1, address, 0};
	return symbolizer_range_of(
		space, &mapping, symbolizer_has_own_names(symbolizer, mapping.file));
}

bool
symbolizer_open_image(struct symbolizer *symbolizer, struct mapped_file *file,
	struct elf_image *image, struct elf_image *debug)
{
	switch (file->kind) {
	case MAPPING_FILE:
		return module_open(module_of(symbolizer, file), image, debug);
	case MAPPING_VDSO:
		*debug = (struct elf_image){.fd = -1};
		return kernel_space_is_todays_build(&symbolizer->kernel) &&
		       elf_image_open_vdso(image);
	case MAPPING_ANONYMOUS:
	case MAPPING_JIT_DUMP:
	case MAPPING_OTHER:
		break;
	}
	return false;
}

static enum symbol_source
source_of(const struct module *module)
{
	if (module->jit)
		return SYMBOL_JIT;
	return module->dwarf ? SYMBOL_DWARF : SYMBOL_ELF;
}

static void
resolve_file(struct symbolizer *symbolizer, struct mapped_file *file, uint64_t offset,
	struct symbol *symbol)
{
	struct module *module = module_of(symbolizer, file);
	struct symtab *tab = &module->tab;
	struct symtab_entry *entry = symtab_find(tab, offset);

	symbol->module = module->path;
	symbol->build_id = &module->build_id;
	if (!entry)
		return;
	fill_symbol(tab, entry, offset, source_of(module), symbol);
	/* Not tried behind a smaller symbol inside of it. */
	symbol->same_before = offset > entry->start &&
			      (entry + 1 == tab->entries + tab->count || entry[1].start > offset) &&
			      symbolizer_has_own_names(symbolizer, file);
}

void
symbolizer_resolve(struct symbolizer *symbolizer, const struct space *space, uint64_t address,
	bool kernel, struct symbol *symbol)
{
	*symbol = (struct symbol){0};
	if (kernel) {
		resolve_kernel(symbolizer, address, symbol);
		return;
	}
	struct mapping mapping;

	if (!space || !space_mapping(space, address, &mapping))
		return;
	uint64_t offset = address - mapping.start + mapping.file_offset;

	symbol->module = mapping.file->key.path;
	switch (mapping.file->kind) {
	case MAPPING_FILE:
		/* Compilers that must not write to code map a nameless file twice instead. */
		if (module_file_is_deleted(mapping.file->key.path))
			resolve_jit(symbolizer, space, address, symbol);
		if (!symbol->name)
			resolve_file(symbolizer, mapping.file, offset, symbol);
		if (!symbol->name && !mapping.file->module->code)
			resolve_jit(symbolizer, space, address, symbol);
		break;
	case MAPPING_VDSO:
		if (kernel_space_is_todays_build(&symbolizer->kernel))
			take_symbol(vdso_of(symbolizer->cache), offset, SYMBOL_ELF, symbol);
		break;
	case MAPPING_ANONYMOUS:
		resolve_jit(symbolizer, space, address, symbol);
		break;
	case MAPPING_JIT_DUMP:
	case MAPPING_OTHER:
		break;
	}
}

void
symbolizer_set_inlining(struct symbolizer *symbolizer, bool on)
{
	symbolizer->inlining = on;
}

static bool
symbolizer_has_inlining(const struct symbolizer *symbolizer)
{
	return symbolizer->inlining;
}

/*
 * Whether a return address at the very start of a symbol belongs to that symbol: the kernel lets a
 * signal handler return to code that was never called, and its own assembler code goes on behind
 * labels.
 */
static bool
is_return_target(const struct symbol *symbol, bool kernel)
{
	return symbol->name && symbol->offset == 0 &&
	       ((kernel && symbol->label) || strcmp(symbol->name, "__restore_rt") == 0 ||
		       strcmp(symbol->name, "__kernel_rt_sigreturn") == 0);
}

/* Whether the code before `address` ends with a call; false where it cannot be read. */
static bool
follows_call(const struct space *space, uint64_t address)
{
	struct mapping mapping;

	return space && space_mapping(space, address - 1, &mapping) && mapping.file->module &&
	       module_call_ends_at(
		       mapping.file->module, address - mapping.start + mapping.file_offset);
}

/*
 * The symbol of a return address; returns the address whose symbol it is: the call's or `address`.
 */
static uint64_t
resolve_call(struct symbolizer *symbolizer, const struct space *space, uint64_t address,
	bool kernel, struct symbol *symbol)
{
	struct symbol call;

	symbolizer_resolve(symbolizer, space, address, kernel, symbol);
	if (symbol->same_before)
		return address - 1;
	if (address == 0 || is_return_target(symbol, kernel))
		return address;
	symbolizer_resolve(symbolizer, space, address - 1, kernel, &call);
	/* Where the call has no name, take the symbol at the address. */
	if (!call.name)
		return address;
	if (call.name == symbol->name && call.offset + 1 == symbol->offset)
		return address - 1;
	if (!kernel && !follows_call(space, address))
		return address;
	*symbol = call;
	return address - 1;
}

/*
 * The module in which to look up functions inlined at `address`, which has been resolved before,
 * and the offset in its file. NULL where there is none, or inlining is off.
 */
static struct module *
inlining_module(const struct symbolizer *symbolizer, const struct space *space, uint64_t address,
	uint64_t *offset)
{
	bool wanted = space && symbolizer_has_inlining(symbolizer);
	struct mapping mapping;

	if (!wanted || !space_mapping(space, address, &mapping) ||
		mapping.file->kind != MAPPING_FILE)
		return NULL;
	*offset = address - mapping.start + mapping.file_offset;
	return mapping.file->module;
}

/*
 * Fills `frames` with the functions at `offset` of the module's file, inlined ones included;
 * returns how many.
 */
static size_t
take_inlined(struct module *module, uint64_t offset, struct symbol_frame frames[SYMBOL_FRAMES_MAX])
{
	struct inline_frame found[SYMBOL_FRAMES_MAX];
	size_t count = module_inlined(module, offset, found, SYMBOL_FRAMES_MAX);

	for (size_t i = 0; i < count; i++)
		frames[i] = (struct symbol_frame){
			.name = found[i].name,
			.file = found[i].file,
			.line = found[i].line,
			.at_line = found[i].at_line,
			.inlined = i + 1 < count,
		};
	return count;
}

size_t
symbolizer_frames(struct symbolizer *symbolizer, const struct space *space, uint64_t address,
	bool kernel, bool exact, struct symbol *symbol,
	struct symbol_frame frames[SYMBOL_FRAMES_MAX])
{
	struct module *module = NULL;
	uint64_t offset;
	size_t count = 0;

	if (exact)
		symbolizer_resolve(symbolizer, space, address, kernel, symbol);
	else
		address = resolve_call(symbolizer, space, address, kernel, symbol);
	/* Without a symbol there is no code that a compiler made, but perhaps a JIT's or a stub. */
	if (symbol->source == SYMBOL_ELF || symbol->source == SYMBOL_DWARF)
		module = inlining_module(symbolizer, space, address, &offset);
	if (module)
		count = take_inlined(module, offset, frames);
	if (count == 0)
		frames[count++] = (struct symbol_frame){0};
	/* The symbol table's name is the one that stacks without inlining show. */
	frames[count - 1].name = symbol->name;
	return count;
}
