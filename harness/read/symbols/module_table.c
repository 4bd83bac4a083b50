/*
 * The modules of all captures, each loaded when it is first looked up, and the notes about what is
 * missing of them.
 */
#include "symbols/module_table.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "dwarf/dwarf_names.h"
#include "elf/debug_file.h"
#include "elf/elf_image.h"
#include "elf/elf_packed.h"
#include "elf/elf_symbols.h"
#include "elf/go_table.h"
#include "elf/plt.h"
#include "elf/program_copies.h"
#include "symbols/module.h"
#include "symbols/module_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Builds of one file that are looked for. */
#define BUILDS_MAX 256

void
module_table_init(struct module_table *table)
{
	*table = (struct module_table){.root = ""};
	strtab_init(&table->notes);
	strtab_init(&table->paths);
}

void
module_table_set_root(struct module_table *table, const char *root)
{
	size_t len = strlen(root);

	while (len > 0 && root[len - 1] == '/')
		len--;
	table->root = arena_dup(&table->arena, root, len);
}

void
module_table_set_capture(struct module_table *table, const char *path)
{
	if (!path) {
		table->beside = NULL;
		return;
	}
	const size_t len = (size_t)(file_basename(path) - path);

	/* The root's, "/", keeps its slash. */
	table->beside = len > 0 ? arena_dup(&table->arena, path, len > 1 ? len - 1 : 1) : ".";
}

void
module_table_put_missing(const struct module_table *table, struct buf *out)
{
	for (size_t i = 0; i < table->nmodules; i++) {
		const struct module *module = table->modules[i];

		if (module->missing && module->epoch == table->epoch &&
			!strpbrk(module->path, "\t\n"))
			buf_printf(out, "%s\t%s\n", module->path, module->missing);
	}
}

void
module_table_release(struct module_table *table)
{
	for (size_t i = 0; i < table->nmodules; i++)
		for (struct module *module = table->modules[i]; module; module = module->older)
			module_release(module);
	free((void *)table->modules);
	map_release(&table->by_key);
	strtab_release(&table->notes);
	strtab_release(&table->paths);
	free(table->builds);
	arena_release(&table->arena);
	debuginfod_release(&table->servers);
}

void
module_note(struct module_table *table, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	strtab_intern_str(&table->notes, text);
}

void
module_table_take_notes(struct module_table *table)
{
	for (size_t i = 0; i < table->nmodules; i++)
		for (struct module *module = table->modules[i]; module; module = module->older) {
			char *note = module_take_note(module);

			if (note)
				module_note(table, "%s", note);
			free(note);
		}
}

/* Fetches the debug file of a stripped program, if servers are enabled. */
static void
fetch_debug(struct module_table *table, struct module *module, const struct elf_image *image)
{
	GElf_Shdr header;

	if (elf_image_section(image, NULL, SHT_SYMTAB, &header))
		return;
	char *copy = debuginfod_fetch(&table->servers, &image->build_id, false);

	if (copy)
		module->debug = arena_strdup(&table->arena, copy);
	else if (table->servers.state == DEBUGINFOD_READY)
		module_note(table, "%s: no debuginfod server has its debug file",
			file_basename(module->path));
	free(copy);
}

/* Fills the table of `module` from the file that was mapped and its debug file. */
static void
read_symbols(struct module_table *table, struct module *module, struct elf_image *image)
{
	struct elf_image debug;
	struct elf_image mini;
	size_t added = 0;
	bool has_debug = module_open_debug(module, image, &debug);

	if (!has_debug) {
		fetch_debug(table, module, image);
		has_debug = module->debug && elf_image_open(&debug, module->debug);
	}
	if (has_debug)
		added = elf_image_symbols(&debug, image, SHT_SYMTAB, &module->tab);
	if (added == 0)
		added = elf_image_symbols(image, image, SHT_SYMTAB, &module->tab);
	if (added == 0 && elf_packed_open_mini(&mini, image)) {
		added = elf_image_symbols(&mini, image, SHT_SYMTAB, &module->tab);
		elf_image_close(&mini);
	}
	if (added == 0 && elf_packed_expand(has_debug ? &debug : image)) {
		/* Stripped: debug information may still be there, and exported symbols are. */
		added = dwarf_names_read(has_debug ? &debug : image, image, &module->tab);
		module->dwarf = added > 0;
	}
	if (added == 0)
		go_table_symbols(image, &module->tab);
	if (!module->dwarf)
		elf_image_symbols(image, image, SHT_DYNSYM, &module->tab);
	symtab_finish(&module->tab, false);
	elf_image_labels(has_debug ? &debug : image, image, &module->tab);
	plt_symbols(image, &module->tab);
	symtab_index(&module->tab);
	if (has_debug)
		elf_image_close(&debug);
}

/* The file is gone or another one: its debug file, found by build-id, still has the names. */
static bool
read_debug_only(struct module_table *table, struct module *module, const struct module_key *key)
{
	struct elf_image debug;
	bool opened = debug_file_open_by_id(&debug, module->root, &module->build_id);

	if (!opened) {
		char *copy = debuginfod_fetch(&table->servers, &module->build_id, false);

		opened = copy && elf_image_open(&debug, copy);
		free(copy);
	}
	if (!opened)
		return false;
	bool placed = elf_image_place(&debug, key->map_offset, key->map_bytes);

	if (placed) {
		elf_image_symbols(&debug, &debug, SHT_SYMTAB, &module->tab);
		symtab_finish(&module->tab, false);
	}
	elf_image_close(&debug);
	return placed;
}

static const char *
missing_text(enum module_file file)
{
	switch (file) {
	case MODULE_FILE_CHANGED:
		return "changed since the capture (another build-id)";
	case MODULE_FILE_REPLACED:
		return "replaced while it ran, and no build-id was recorded";
	case MODULE_FILE_GONE:
	case MODULE_FILE_SAME:
	case MODULE_FILE_UNSURE:
		break;
	}
	return "cannot be read as a program";
}

static void
note_missing(struct module_table *table, struct module *module, enum module_file file)
{
	const bool gone = file == MODULE_FILE_GONE;
	const char *text = missing_text(file);
	char *problem =
		module->beside ? program_copies_problem(module->beside, module->path) : NULL;
	char *cause = problem ? mem_printf("%s; it could not be copied: %s", text, problem)
			      : mem_strdup(text);

	module->missing = arena_strdup(&table->arena, cause);
	module_note(table, "%s%s: %s%s no names for its code", gone ? module->root : "",
		gone ? module->path : file_basename(module->path), cause, problem ? "," : ":");
	free(cause);
	free(problem);
}

static void
load(struct module_table *table, struct module *module, const struct module_key *key)
{
	struct elf_image image;
	enum module_file file =
		module_file_open(&table->arena, &table->servers, module, key, &image);

	switch (file) {
	case MODULE_FILE_UNSURE:
		module_note(table,
			"%s: is not the file that was captured (inode): its names may be wrong",
			file_basename(module->path));
		__attribute__((fallthrough));
	case MODULE_FILE_SAME:
		read_symbols(table, module, &image);
		elf_image_close(&image);
		break;
	case MODULE_FILE_GONE:
	case MODULE_FILE_CHANGED:
	case MODULE_FILE_REPLACED:
		if (!read_debug_only(table, module, key))
			note_missing(table, module, file);
		break;
	}
	if (table->servers.trouble)
		module_note(table, "debuginfod: %s", table->servers.trouble);
}

/*
 * Where the newest module of this path and build-id, or else inode, is kept: at first NULL. Until
 * more are added.
 */
static struct module **
find_kept(struct module_table *table, const char *path, const struct build_id *id, uint64_t inode)
{
	const uint64_t which = id->len > 0 ? hash_bytes(id->bytes, id->len) : inode;
	const uint64_t hash = hash_pair(hash_bytes(path, strlen(path)), which);

	for (struct map_search search = map_search(&table->by_key, hash); map_next(&search);) {
		const struct module *module = table->modules[search.id];

		if (strcmp(module->path, path) == 0 && build_id_equal(&module->build_id, id) &&
			(id->len > 0 || module->inode == inode))
			return &table->modules[search.id];
	}
	map_add(&table->by_key, hash, (uint32_t)table->nmodules);
	table->modules = mem_grow((void *)table->modules, &table->capacity, table->nmodules + 1,
		sizeof(struct module *));
	return &table->modules[table->nmodules++];
}

/*
 * Whether one more build of the file at `path` is looked for: a file that was replaced while it ran
 * has few of them, and each costs the search for its debug file.
 */
static bool
may_load(struct module_table *table, const char *path)
{
	const str_id id = strtab_intern_str(&table->paths, path);

	table->builds = mem_grow(
		table->builds, &table->builds_capacity, (size_t)id + 1, sizeof(*table->builds));
	return ++table->builds[id] <= BUILDS_MAX;
}

struct module *
module_find(struct module_table *table, const struct module_key *key)
{
	struct stat now = {0};
	size_t len = module_file_path_len(key->path);
	char *path = mem_dup(key->path, len);
	struct module **kept = find_kept(table, path, &key->build_id, key->inode);
	struct module *module = *kept;

	if (module && module->epoch == table->epoch)
		goto found;
	now = module_file_stat(table->root, path);
	/* Where neither has a file at its path, each may have a copy beside its capture. */
	if (module && !module->missing && elf_image_is_same_file(&module->seen, &now)) {
		module->epoch = table->epoch;
		goto found;
	}
	/* An older one of this name stays, since names out of it may still be in use. */
	module = arena_alloc(&table->arena, sizeof(*module));
	module->path = arena_dup(&table->arena, path, len);
	module->root = table->root;
	module->beside = table->beside;
	module->inode = key->inode;
	module->jit = jit_dump_is_program(path);
	module->places.fd = -1;
	module->build_id = key->build_id;
	module->seen = now;
	module->epoch = table->epoch;
	module->older = *kept;
	*kept = module;
	if (may_load(table, path))
		load(table, module, key);
found:
	free(path);
	return module;
}
