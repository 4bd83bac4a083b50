#include "symbols/module.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "dwarf/inlines.h"
#include "elf/debug_file.h"
#include "elf/elf_image.h"
#include "elf/go_table.h"
#include "elf/plt.h"
#include "elf/program_copies.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Opens the debug file of `image`, which is the module's: an installed one or a server's. */
static bool
module_open_debug(
	const struct module *module, const struct elf_image *image, struct elf_image *debug)
{
	return debug_file_open(debug, image, module->root, module->path) ||
	       (module->debug && elf_image_open(debug, module->debug));
}

/* Opens the file that the names were read from, unless it changed since. */
static bool
open_code(const struct module *module, struct elf_image *image)
{
	if (!module->code || !elf_image_open(image, module->code))
		return false;
	if (elf_image_is_same_file(&module->code_seen, &image->seen))
		return true;
	elf_image_close(image);
	return false;
}

bool
module_open(const struct module *module, struct elf_image *image, struct elf_image *debug)
{
	if (!open_code(module, image))
		return false;
	if (!module_open_debug(module, image, debug))
		*debug = (struct elf_image){.fd = -1};
	/* Expand the one that has the debug information. */
	elf_packed_expand(debug->elf ? debug : image);
	return true;
}

/* The file is opened anew each time: few addresses are the start of a function. */
bool
module_call_ends_at(const struct module *module, uint64_t offset)
{
	unsigned char code[CALL_SITE_BYTES];
	struct elf_image image;
	GElf_Ehdr header;
	bool result = false;

	if (!open_code(module, &image))
		return false;
	if (gelf_getehdr(image.elf, &header)) {
		size_t len = elf_image_code(&image, offset, code, sizeof(code));

		result = call_site_ends(header.e_machine, code, len);
	}
	elf_image_close(&image);
	return result;
}

static void
open_inlines(struct module *module)
{
	struct elf_image image;
	struct elf_image debug;

	module->inlines_tried = true;
	if (!module_open(module, &image, &debug))
		return;
	module->places.loaded = image.loaded;
	module->places.nloaded = image.nloaded;
	image.loaded = NULL;
	image.nloaded = 0;
	if (debug.elf) {
		elf_image_close(&image);
		image = debug;
	}
	module->inlines = inlines_open(&image, module->code, module->root);
}

size_t
module_inlined(struct module *module, uint64_t offset, struct inline_frame *frames, size_t max)
{
	uint64_t address;

	if (!module->inlines_tried)
		open_inlines(module);
	if (!module->inlines || !elf_image_address(&module->places, offset, &address))
		return 0;
	return inlines_find(module->inlines, address, frames, max);
}

/* A note on debug information that was missing so far, free() it; NULL if none was, or it was taken
 * before. */
static char *
module_take_note(struct module *module)
{
	const char *first = NULL;
	size_t count = 0;

	if (module->inlines && !module->inlines_noted)
		count = inlines_missing(module->inlines, &first);
	if (count == 0)
		return NULL;
	module->inlines_noted = true;
	const char *name = file_basename(module->path);

	if (count == 1)
		return mem_printf(
			"%s: a unit's .dwo file is missing or of another build: %s", name, first);
	return mem_printf("%s: %zu units' .dwo files are missing or of another build, first: %s",
		name, count, first);
}

static void
module_release(struct module *module)
{
	symtab_release(&module->tab);
	inlines_close(module->inlines);
	elf_image_close(&module->places);
}

#define DELETED " (deleted)"
/* Some 100 bytes a mapping, and 65,530 mappings unless the kernel is set otherwise. */
#define MAPS_BYTES_MAX (16u << 20)

bool
module_file_is_deleted(const char *path)
{
	return module_file_path_len(path) < strlen(path);
}

size_t
module_file_path_len(const char *path)
{
	size_t len = strlen(path);
	size_t part = strlen(DELETED);

	return len > part && strcmp(path + len - part, DELETED) == 0 ? len - part : len;
}

/* Steps over `text` and digits; NULL if it is not there. */
static const char *
skip_numbered(const char *at, const char *text)
{
	const size_t len = strlen(text);

	if (!at || strncmp(at, text, len) != 0 || !isdigit((unsigned char)at[len]))
		return NULL;
	for (at += len; isdigit((unsigned char)*at);)
		at++;
	return at;
}

bool
jit_dump_is_path(const char *path)
{
	const char *end = skip_numbered(file_basename(path), "jit-");

	return end && strcmp(end, ".dump") == 0;
}

bool
jit_dump_is_program(const char *path)
{
	const char *end = skip_numbered(skip_numbered(file_basename(path), "jitted-"), "-");

	return end && strcmp(end, ".so") == 0;
}

/* The state of the file at `path` below `root`; zeros where there is none. */
static struct stat
module_file_stat(const char *root, const char *path)
{
	char *below = mem_printf("%s%s", root, path);
	struct stat seen;

	if (stat(below, &seen) < 0)
		seen = (struct stat){0};
	free(below);
	return seen;
}

static enum module_file
judge(const struct module *module, const struct module_key *key, const struct elf_image *image,
	const struct stat *seen)
{
	if (module->build_id.len > 0)
		return build_id_equal(&module->build_id, &image->build_id) ? MODULE_FILE_SAME
									   : MODULE_FILE_CHANGED;
	/* Inodes are those of the system that it was recorded on. */
	if (module->root[0] || (key->inode && key->inode == seen->st_ino))
		return MODULE_FILE_SAME;
	if (module_file_is_deleted(key->path))
		return MODULE_FILE_REPLACED;
	return key->inode ? MODULE_FILE_UNSURE : MODULE_FILE_SAME;
}

/* Opens the file at `path`, if it is one, and judges it; it is open where SAME or UNSURE. */
static enum module_file
try_path(const struct module *module, const struct module_key *key, const char *path,
	struct elf_image *image, struct stat *seen)
{
	if (!elf_image_open(image, path))
		return MODULE_FILE_GONE;
	*seen = image->seen;
	enum module_file result = judge(module, key, image, seen);

	if (result != MODULE_FILE_SAME && result != MODULE_FILE_UNSURE)
		elf_image_close(image);
	return result;
}

/*
 * One line of /proc/PID/maps: "START-END rwxp OFFSET DEV INODE   PATH". Writes the link to the file
 * that is mapped there if it may be the wanted one.
 */
static bool
link_of_line(const char *line, size_t len, const struct module *module,
	const struct module_key *key, char *link, size_t link_bytes)
{
	uint64_t start;
	uint64_t end;
	uint64_t inode;
	char text[PATH_MAX + 128];
	int path_at = 0;

	if (len >= sizeof(text))
		return false;
	memcpy(text, line, len);
	text[len] = '\0';
	if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %" SCNu64 " %n", &start, &end, &inode,
		    &path_at) < 3 ||
		path_at == 0 || (key->inode && key->inode != inode))
		return false;

	const char *path = text + path_at;
	size_t path_len = module_file_path_len(path);

	if (path_len != strlen(module->path) || memcmp(path, module->path, path_len) != 0)
		return false;
	snprintf(link, link_bytes, "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, key->pid,
		start, end);
	return true;
}

/* Finds the link to the file as a living process maps it; false where it does not. */
static bool
find_map_link(const struct module *module, const struct module_key *key, char *link, size_t bytes)
{
	struct err err = {0};
	struct buf maps = {0};
	char path[64];
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", key->pid);
	if (file_read(path, &maps, MAPS_BYTES_MAX, &err) == 0) {
		const char *end = buf_text(&maps) + maps.len;

		for (const char *line = buf_text(&maps); line < end && !found;) {
			const char *newline = memchr(line, '\n', (size_t)(end - line));
			const char *line_end = newline ? newline : end;

			found = link_of_line(
				line, (size_t)(line_end - line), module, key, link, bytes);
			line = line_end + 1;
		}
	}
	buf_release(&maps);
	return found;
}

/*
 * Tries the files of the process that mapped it: its program, what it has mapped, and the path as
 * it sees it, which may be another file system than ours. Its pid may be another process's by now:
 * only a file that is certainly the same is taken.
 */
static bool
try_process(const struct module *module, const struct module_key *key, char path[PATH_MAX],
	struct elf_image *image, struct stat *seen)
{
	if (module->root[0] || key->pid == 0 || (module->build_id.len == 0 && key->inode == 0))
		return false;
	for (int i = 0; i < 3; i++) {
		if (i == 0)
			snprintf(path, PATH_MAX, "/proc/%" PRIu32 "/exe", key->pid);
		else if (i == 1 && !find_map_link(module, key, path, PATH_MAX))
			continue;
		else if (i == 2)
			snprintf(
				path, PATH_MAX, "/proc/%" PRIu32 "/root%s", key->pid, module->path);

		enum module_file result = try_path(module, key, path, image, seen);

		if (result == MODULE_FILE_SAME)
			return true;
		if (result == MODULE_FILE_UNSURE)
			elf_image_close(image);
	}
	return false;
}

/* Opens a copy of the file that was made when it was there; *path is to be freed. */
static bool
try_copies(const struct module *module, const struct module_key *key, char **path,
	struct elf_image *image, struct stat *seen)
{
	bool opened = false;

	*path = NULL;
	if (module->build_id.len > 0) {
		opened = program_copies_open(image, module->beside,
			module->root[0] ? NULL : getenv("HOME"), &module->build_id, path);
	} else if (module->beside) {
		*path = program_copies_path(
			module->beside, &module->build_id, module->path, key->inode);
		opened = *path && elf_image_open(image, *path);
	}
	if (opened)
		*seen = image->seen;
	return opened;
}

/*
 * Opens the file of `module`, described by `key`; it may be fetched from `servers`. `image` is open
 * where the result is SAME or UNSURE; module->code and code_seen then say where it was found. An
 * older state of the file's path is in module->seen.
 */
static enum module_file
module_file_open(struct arena *arena, struct debuginfod *servers, struct module *module,
	const struct module_key *key, struct elf_image *image)
{
	struct elf_image other;
	struct stat seen = {0};
	char path[PATH_MAX];
	char *copied = NULL;
	char *below = mem_printf("%s%s", module->root, module->path);
	enum module_file result = try_path(module, key, below, image, &seen);

	if (result == MODULE_FILE_SAME) {
		module->code = arena_strdup(arena, below);
	} else if (try_process(module, key, path, &other, &seen)) {
		if (result == MODULE_FILE_UNSURE)
			elf_image_close(image);
		*image = other;
		module->code = arena_strdup(arena, path);
		result = MODULE_FILE_SAME;
	} else if (try_copies(module, key, &copied, &other, &seen)) {
		if (result == MODULE_FILE_UNSURE)
			elf_image_close(image);
		*image = other;
		module->code = arena_strdup(arena, copied);
		result = MODULE_FILE_SAME;
	} else if (result == MODULE_FILE_UNSURE) {
		module->code = arena_strdup(arena, below);
		seen = module->seen;
	} else {
		char *copy = debuginfod_fetch(servers, &module->build_id, true);

		if (copy && try_path(module, key, copy, image, &seen) == MODULE_FILE_SAME) {
			module->code = arena_strdup(arena, copy);
			result = MODULE_FILE_SAME;
		}
		free(copy);
	}
	module->code_seen = seen;
	free(copied);
	free(below);
	return result;
}

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
