#include "dwarf/split_units.h"

#include "base/file.h"
#include "base/mem.h"
#include "dwarf/debug_data.h"
#include "dwarf/debug_unit.h"
#include "elf/elf_image.h"
#include "elf/elf_packed.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* The .dwo file of a source file has some megabytes. */
#define DWO_BYTES_MAX ((size_t)1 << 29)
#define ALL_BYTES_MAX ((uint64_t)1 << 31)
/* For files that were read before: each unit could name the same one. */
#define AGAIN_BYTES_MAX ((uint64_t)1 << 29)
/* There are eight kinds of columns; more are not needed, whatever they are. */
#define COLUMNS_MAX 16

/* The index of a package. */
struct table {
	unsigned version; /* 2 or 5 */
	uint32_t ncolumns;
	uint32_t nunits;
	uint32_t nslots;
	struct cursor ids;     /* [nslots] of 8 bytes */
	struct cursor rows;    /* [nslots] of 4 bytes; from 1, 0: nothing */
	struct cursor columns; /* [ncolumns] of 4 bytes: which section */
	struct cursor offsets; /* [nunits][ncolumns] of 4 bytes */
	struct cursor sizes;   /* likewise */
};

static bool
read_table(struct table *table, const struct debug_data *package)
{
	struct cursor cursor = debug_data_at(package, DEBUG_CU_INDEX, 0);
	struct cursor number = cursor;

	*table = (struct table){.version = (unsigned)cursor_fixed(&number, 2)};
	if (table->version != 5)
		table->version = (unsigned)cursor_fixed(&cursor, 4);
	else
		cursor_skip(&cursor, 4);
	table->ncolumns = (uint32_t)cursor_fixed(&cursor, 4);
	table->nunits = (uint32_t)cursor_fixed(&cursor, 4);
	table->nslots = (uint32_t)cursor_fixed(&cursor, 4);
	/* The number of slots must be a power of two, else probing does not reach all of them. */
	if (cursor.failed || (table->version != 2 && table->version != 5) ||
		table->ncolumns > COLUMNS_MAX || table->nslots == 0 ||
		(table->nslots & (table->nslots - 1)) != 0)
		return false;
	uint64_t cells = 4 * (uint64_t)table->nunits * table->ncolumns;

	table->ids = cursor;
	cursor_skip(&cursor, 8 * (uint64_t)table->nslots);
	table->rows = cursor;
	cursor_skip(&cursor, 4 * (uint64_t)table->nslots);
	table->columns = cursor;
	cursor_skip(&cursor, 4 * (uint64_t)table->ncolumns);
	table->offsets = cursor;
	cursor_skip(&cursor, cells);
	table->sizes = cursor;
	cursor_skip(&cursor, cells);
	return !cursor.failed;
}

/* Number `index` of those of `bytes` bytes that start at `cursor` and are all there. */
static uint64_t
element(struct cursor cursor, uint64_t index, size_t bytes)
{
	cursor_skip(&cursor, index * bytes);
	return cursor_fixed(&cursor, bytes);
}

/* The row of the unit, from 0; false where there is none. */
static bool
find_row(const struct table *table, uint64_t id, uint32_t *row)
{
	uint64_t mask = table->nslots - 1;
	uint64_t slot = id & mask;
	uint64_t step = (id >> 32 & mask) | 1;

	for (uint32_t tries = 0; tries < table->nslots; tries++) {
		uint64_t found = element(table->rows, slot, 4);

		if (found == 0 || found > table->nunits)
			return false;
		*row = (uint32_t)found - 1;
		if (element(table->ids, slot, 8) == id)
			return true;
		slot = (slot + step) & mask;
	}
	return false;
}

/* Which section a column is about; DEBUG_NSECTIONS for those that are not used here. */
static enum debug_section
section_of(unsigned version, uint64_t column)
{
	switch (column) {
	case DW_SECT_INFO:
		return DEBUG_INFO;
	case DW_SECT_ABBREV:
		return DEBUG_ABBREV;
	case DW_SECT_STR_OFFSETS:
		return DEBUG_STR_OFFSETS;
	case DW_SECT_RNGLISTS: /* in version 2 it is .debug_macro */
		return version == 5 ? DEBUG_RNGLISTS : DEBUG_NSECTIONS;
	default:
		return DEBUG_NSECTIONS;
	}
}

bool
split_units_slice(const struct debug_data *package, uint64_t id, struct debug_data *part)
{
	struct table table;
	uint32_t row;

	*part = (struct debug_data){0};
	if (!read_table(&table, package) || !find_row(&table, id, &row))
		return false;
	part->sections[DEBUG_STR] = package->sections[DEBUG_STR];
	for (uint32_t i = 0; i < table.ncolumns; i++) {
		uint64_t cell = (uint64_t)row * table.ncolumns + i;
		enum debug_section section =
			section_of(table.version, element(table.columns, i, 4));
		uint64_t offset = element(table.offsets, cell, 4);
		uint64_t size = element(table.sizes, cell, 4);

		if (section == DEBUG_NSECTIONS || size == 0)
			continue;
		const struct debug_bytes *whole = &package->sections[section];

		if (offset > whole->len || size > whole->len - offset)
			return false;
		part->sections[section] = (struct debug_bytes){whole->start + offset, size};
	}
	return part->sections[DEBUG_INFO].len > 0 && part->sections[DEBUG_ABBREV].len > 0;
}

/* The entries of one skeleton. */
struct split_file {
	struct split_file *next;
	struct elf_image image; /* of a .dwo file in memory; not open for a part of a package */
	struct debug_data data; /* with the program's own sections: addresses, lists of ranges */
	struct debug_units units;
};

void
split_units_init(
	struct split_units *split, const char *program, const char *root, struct debug_data *given)
{
	*split = (struct split_units){.given = given, .image = {.fd = -1}};
	split->program = program ? mem_strdup(program) : NULL;
	split->root = mem_strdup(root);
}

static void
free_file(struct split_file *file)
{
	debug_units_release(&file->units);
	elf_image_close(&file->image);
	free(file);
}

void
split_units_release(struct split_units *split)
{
	while (split->files) {
		struct split_file *next = split->files->next;

		free_file(split->files);
		split->files = next;
	}
	elf_image_close(&split->image);
	key_map_release(&split->inodes);
	free(split->program);
	free(split->root);
	free(split->first_missing);
}

/* Looks for the package of the program, once. */
static void
open_package(struct split_units *split)
{
	if (split->package_tried || !split->program)
		return;
	char *path = mem_printf("%s.dwp", split->program);

	split->package_tried = true;
	if (elf_image_open(&split->image, path)) {
		elf_packed_expand(&split->image);
		if (!debug_data_read(&split->package, &split->image, true)) {
			split->package = (struct debug_data){0};
			elf_image_close(&split->image);
		}
	}
	free(path);
}

/* Whether the file may be read, for the first time or again. */
static bool
may_read(struct split_units *split, const struct stat *found)
{
	const size_t known = split->inodes.count;
	const uint64_t bytes = (uint64_t)found->st_size;

	if (!S_ISREG(found->st_mode) || found->st_size <= 0 || bytes > DWO_BYTES_MAX ||
		bytes > ALL_BYTES_MAX - split->file_bytes)
		return false;
	key_map_add(&split->inodes, (uint64_t)found->st_ino);
	if (split->inodes.count > known)
		return true;
	if (bytes > AGAIN_BYTES_MAX - split->again_bytes)
		return false;
	split->again_bytes += bytes;
	return true;
}

/*
 * Reads a .dwo file into memory: a program may have ten thousand of them, too many to hold open,
 * and compilers write over them.
 */
static bool
read_dwo(struct split_units *split, const char *path, struct split_file *file)
{
	struct err err = {0};
	struct stat found;
	struct buf bytes = {0};

	if (stat(path, &found) < 0 || !may_read(split, &found))
		return false;
	if (file_read(path, &bytes, (size_t)found.st_size, &err) < 0 || bytes.len == 0) {
		buf_release(&bytes);
		return false;
	}
	size_t len = bytes.len;
	char *owned = bytes.data;

	/* Counted even if it is useless: each unit could name a large file. */
	split->file_bytes += len;
	elf_version(EV_CURRENT);
	if (!elf_image_adopt(&file->image, elf_memory(owned, len), owned))
		return false;
	elf_packed_expand(&file->image);
	if (!debug_data_read(&file->data, &file->image, true)) {
		elf_image_close(&file->image);
		return false;
	}
	return true;
}

/* Work for a unit, beside that for its bytes; as many may have the same ones. */
#define PART_WORK ((uint64_t)16 << 10)

/* Adds the program's sections to those of the unit's file, a part of a package or all of it. */
static void
join_data(struct debug_data *data, const struct debug_data *program, bool is_part)
{
	static const enum debug_section both[] = {
		DEBUG_LINE, DEBUG_LINE_STR, DEBUG_ADDR, DEBUG_RANGES};

	struct debug_bytes text = data->sections[DEBUG_STR];

	/* Work is granted by its own bytes only: all units share the rest. */
	data->sections[DEBUG_STR].len = 0;
	debug_data_grant(data);
	if (is_part)
		allowance_take(&data->work, DEBUG_WORK_LEAST - PART_WORK);
	data->sections[DEBUG_STR] = text;
	for (size_t i = 0; i < sizeof(both) / sizeof(both[0]); i++)
		data->sections[both[i]] = program->sections[both[i]];
}

/* Takes the unit of `skeleton` out of the file; NULL where it has none of its id. */
static struct debug_unit *
take_unit(struct split_file *file, struct debug_unit *skeleton, bool is_part)
{
	join_data(&file->data, skeleton->data, is_part);
	debug_units_read(&file->units, &file->data);
	for (size_t i = 0; i < file->units.count; i++) {
		struct debug_unit *unit = &file->units.units[i];

		unit->skeleton = skeleton;
		if (unit->format.version == skeleton->format.version &&
			unit->format.address_bytes == skeleton->format.address_bytes &&
			debug_unit_open(unit, NULL, 0) && unit->has_dwo_id &&
			unit->dwo_id == skeleton->dwo_id && debug_unit_use(unit))
			return unit;
	}
	debug_units_release(&file->units);
	return NULL;
}

/* Looks in a package, or in what was given, which may be the sections of one .dwo file. */
static struct debug_unit *
find_packed(struct debug_data *package, struct debug_unit *skeleton, struct split_file *file)
{
	if (package->sections[DEBUG_CU_INDEX].len == 0)
		file->data = *package;
	else if (!split_units_slice(package, skeleton->dwo_id, &file->data))
		return NULL;
	/* Many skeletons may have one id, and so the same bytes. */
	if (!debug_data_work(package,
		    file->data.sections[DEBUG_INFO].len + file->data.sections[DEBUG_ABBREV].len +
			    file->data.sections[DEBUG_RNGLISTS].len + PART_WORK / DEBUG_LOOKS_MAX))
		return NULL;
	return take_unit(file, skeleton, true);
}

/* Where it was compiled. */
static char *
path_of_skeleton(const struct split_units *split, const struct debug_unit *skeleton)
{
	const char *name = skeleton->dwo_name;
	char *path = name[0] == '/' || !skeleton->folder ? mem_strdup(name)
							 : file_join(skeleton->folder, name);
	/* One that is not absolute is relative to where we are, as for debuggers. */
	char *below = path[0] == '/' ? mem_printf("%s%s", split->root, path) : mem_strdup(path);

	free(path);
	return below;
}

/* The paths where the .dwo file may be, the likeliest first; free() each. NULL: no more. */
static char *
path_of_try(const struct split_units *split, const struct debug_unit *skeleton, int number)
{
	const char *name = skeleton->dwo_name;
	const char *slash = split->program ? strrchr(split->program, '/') : NULL;
	int folder = slash ? (int)(slash - split->program) : 0;

	switch (number) {
	case 0:
		return path_of_skeleton(split, skeleton);
	case 1: /* the whole was moved since it was compiled */
		return slash ? mem_printf("%.*s/%s", folder, split->program, name) : NULL;
	case 2:
		return slash ? mem_printf("%.*s/%s", folder, split->program, file_basename(name))
			     : NULL;
	default:
		return NULL;
	}
}

static struct debug_unit *
find_dwo(struct split_units *split, struct debug_unit *skeleton, struct split_file *file)
{
	struct debug_unit *unit = NULL;
	char *path;

	for (int i = 0; !unit && (path = path_of_try(split, skeleton, i)); i++) {
		if (read_dwo(split, path, file)) {
			unit = take_unit(file, skeleton, false);
			if (!unit)
				elf_image_close(&file->image);
		}
		free(path);
	}
	return unit;
}

struct debug_unit *
split_units_find(struct split_units *split, struct debug_unit *skeleton)
{
	struct split_file *file = mem_zalloc(1, sizeof(*file));
	struct debug_unit *unit = NULL;

	file->image.fd = -1;
	if (split->given) {
		unit = find_packed(split->given, skeleton, file);
	} else {
		open_package(split);
		if (split->package.sections[DEBUG_CU_INDEX].len > 0)
			unit = find_packed(&split->package, skeleton, file);
		if (!unit)
			unit = find_dwo(split, skeleton, file);
	}
	if (unit) {
		file->next = split->files;
		split->files = file;
		return unit;
	}
	free_file(file);
	if (split->nmissing++ == 0)
		split->first_missing = path_of_try(split, skeleton, 0);
	return NULL;
}
