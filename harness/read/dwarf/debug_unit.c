#include "dwarf/debug_unit.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/sort.h"
#include "elf/elf_image.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

static const char *const section_names[DEBUG_NSECTIONS] = {
	[DEBUG_INFO] = "info",
	[DEBUG_ABBREV] = "abbrev",
	[DEBUG_STR] = "str",
	[DEBUG_LINE] = "line",
	[DEBUG_LINE_STR] = "line_str",
	[DEBUG_STR_OFFSETS] = "str_offsets",
	[DEBUG_ADDR] = "addr",
	[DEBUG_RANGES] = "ranges",
	[DEBUG_RNGLISTS] = "rnglists",
	[DEBUG_CU_INDEX] = "cu_index",
};

/* Whether `name` is that of the section, in a file of that kind. */
static bool
is_section_name(enum debug_section which, const char *name, bool split)
{
	size_t len = strlen(section_names[which]);

	if (strncmp(name, section_names[which], len) != 0)
		return false;
	return strcmp(name + len, split && which != DEBUG_CU_INDEX ? ".dwo" : "") == 0;
}

/*
 * Decompresses in place, as libelf keeps it: the result is the section's data from then on. It has
 * memory for as much as the section claims.
 */
static bool
decompress(Elf_Scn *section, struct elf_image *image, bool old_style)
{
	GElf_Chdr packed;
	uint64_t bytes = 0;

	if (!old_style)
		return gelf_getchdr(section, &packed) &&
		       allowance_take(&image->unpacking, packed.ch_size) &&
		       elf_compress(section, 0, 0) >= 0;

	/* ".zdebug_info": "ZLIB" and the size, most significant byte first. */
	Elf_Data *data = elf_rawdata(section, NULL);

	if (!data || !data->d_buf || data->d_size < 12 || memcmp(data->d_buf, "ZLIB", 4) != 0)
		return false;
	for (int i = 4; i < 12; i++)
		bytes = bytes << 8 | ((const unsigned char *)data->d_buf)[i];
	return allowance_take(&image->unpacking, bytes) && elf_compress_gnu(section, 0, 0) >= 0;
}

/* Whether the entries begin with a unit of types (DWARF 5, section 7.5.1.3). */
static bool
begins_with_types(const struct debug_bytes *entries)
{
	struct cursor cursor = {entries->start, entries->start + entries->len, false};

	if (cursor_fixed(&cursor, 4) == UINT32_MAX)
		cursor_skip(&cursor, 8);
	const uint64_t version = cursor_fixed(&cursor, 2);

	return version == 5 && cursor_fixed(&cursor, 1) == DW_UT_split_type && !cursor.failed;
}

/*
 * Whether the section was found already. Units of types have sections of entries of their own in a
 * .dwo file, ahead of that of the code.
 */
static bool
is_taken(const struct debug_data *data, enum debug_section which, bool split)
{
	const struct debug_bytes *section = &data->sections[which];

	return section->start && !(split && which == DEBUG_INFO && begins_with_types(section));
}

static void
take_section(struct debug_data *data, Elf_Scn *section, const GElf_Shdr *header,
	struct elf_image *image, bool split)
{
	const char *name = elf_image_section_name(image, header);
	bool old_style = strncmp(name, ".zdebug_", 8) == 0;
	enum debug_section which = 0;

	if (header->sh_type == SHT_NOBITS || (!old_style && strncmp(name, ".debug_", 7) != 0))
		return;
	while (which < DEBUG_NSECTIONS && !is_section_name(which, name + 7 + old_style, split))
		which++;
	if (which == DEBUG_NSECTIONS || is_taken(data, which, split))
		return;
	if ((old_style || (header->sh_flags & SHF_COMPRESSED)) &&
		!decompress(section, image, old_style))
		return;
	Elf_Data *bytes = elf_rawdata(section, NULL);

	if (!bytes || !bytes->d_buf)
		return;
	data->sections[which] = (struct debug_bytes){.start = bytes->d_buf, .len = bytes->d_size};
}

static uint64_t
file_bytes(const struct elf_image *image)
{
	size_t bytes = 0;

	if (image->fd >= 0)
		return (uint64_t)image->seen.st_size;
	elf_rawfile(image->elf, &bytes);
	return bytes;
}

bool
debug_data_read(struct debug_data *data, struct elf_image *image, bool split)
{
	Elf_Scn *section = NULL;
	GElf_Ehdr file;
	GElf_Shdr header;

	*data = (struct debug_data){0};
	if (!gelf_getehdr(image->elf, &file) ||
		file.e_ident[EI_DATA] !=
			(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB))
		return false;
	while ((section = elf_nextscn(image->elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		/* Not linked: relocations are not applied yet. Files made by dwz have none. */
		if (file.e_type == ET_REL && !split &&
			(header.sh_type == SHT_REL || header.sh_type == SHT_RELA))
			return false;
		take_section(data, section, &header, image, split);
	}
	debug_data_grant(data);
	data->memory = allowance_of(DEBUG_MEMORY_LEAST, file_bytes(image), DEBUG_MEMORY_RATIO);
	return data->sections[DEBUG_INFO].len > 0 && data->sections[DEBUG_ABBREV].len > 0;
}

void
debug_data_grant(struct debug_data *data)
{
	uint64_t bytes = 0;

	for (int i = 0; i < DEBUG_NSECTIONS; i++)
		bytes += data->sections[i].len;
	data->work = allowance_of(DEBUG_WORK_LEAST, bytes, DEBUG_LOOKS_MAX);
	data->memory = allowance_of(DEBUG_MEMORY_LEAST, bytes, DEBUG_MEMORY_RATIO);
}

struct cursor
debug_data_at(const struct debug_data *data, enum debug_section section, uint64_t offset)
{
	const struct debug_bytes *bytes = &data->sections[section];

	if (offset >= bytes->len)
		return (struct cursor){.failed = true};
	return (struct cursor){bytes->start + offset, bytes->start + bytes->len, false};
}

/* Positions in units are kept in 32 bits. */
#define UNIT_BYTES_MAX UINT32_MAX

/* Reads one header; false where the rest of the section cannot be read. */
static bool
read_header(struct debug_unit *unit, struct cursor *cursor, const unsigned char *start)
{
	uint64_t length = cursor_fixed(cursor, 4);

	unit->offset = (uint64_t)(cursor->at - start) - 4;
	unit->format.offset_bytes = 4;
	if (length == UINT32_MAX) {
		unit->format.offset_bytes = 8;
		length = cursor_fixed(cursor, 8);
	}
	if (cursor->failed || length > (uint64_t)(cursor->end - cursor->at) ||
		length > UNIT_BYTES_MAX - 12)
		return false;
	struct cursor unit_bytes = {cursor->at, cursor->at + length, false};
	uint64_t version = cursor_fixed(&unit_bytes, 2);
	uint64_t type = DW_UT_compile;

	if (version >= 5) {
		type = cursor_fixed(&unit_bytes, 1);
		unit->format.address_bytes = (uint8_t)cursor_fixed(&unit_bytes, 1);
	}
	unit->abbrev_offset = cursor_fixed(&unit_bytes, unit->format.offset_bytes);
	if (version < 5)
		unit->format.address_bytes = (uint8_t)cursor_fixed(&unit_bytes, 1);
	if (type == DW_UT_skeleton || type == DW_UT_split_compile) {
		unit->dwo_id = cursor_fixed(&unit_bytes, 8);
		unit->has_dwo_id = true;
	}
	if (type == DW_UT_type || type == DW_UT_split_type)
		cursor_skip(&unit_bytes, 8 + (uint64_t)unit->format.offset_bytes);
	unit->format.version =
		version >= 2 && version <= 5 && !unit_bytes.failed ? (uint8_t)version : 0;
	if (unit->format.address_bytes != 4 && unit->format.address_bytes != 8)
		unit->format.version = 0;
	unit->first_die = (uint64_t)(unit_bytes.at - start);
	cursor->at += length;
	unit->end = (uint64_t)(cursor->at - start);
	return true;
}

void
debug_units_read(struct debug_units *units, struct debug_data *data)
{
	struct cursor cursor = debug_data_at(data, DEBUG_INFO, 0);
	const unsigned char *start = cursor.at;
	size_t capacity = 0;

	*units = (struct debug_units){0};
	while (cursor.at < cursor.end && units->count < UINT32_MAX - 1) {
		struct debug_unit unit = {.data = data, .of = units};

		if (!read_header(&unit, &cursor, start))
			break;
		if (unit.format.version == 0)
			continue;
		/* The first entry of each table follows its header. */
		unit.str_offsets_base = unit.format.offset_bytes == 8 ? 16 : 8;
		unit.addr_base = unit.str_offsets_base;
		if (!debug_data_memory(data, sizeof(unit)))
			break;
		if (units->count == capacity)
			units->units = mem_grow(
				units->units, &capacity, units->count + 1, sizeof(*units->units));
		units->units[units->count++] = unit;
	}
}

void
debug_units_release(struct debug_units *units)
{
	for (size_t i = 0; i < units->count; i++)
		abbrevs_release(&units->units[i].abbrevs);
	free(units->units);
	*units = (struct debug_units){0};
}

struct debug_unit *
debug_units_find(const struct debug_units *units, uint64_t offset)
{
	size_t until = search_until(
		units->units, units->count, SEARCH_BY(struct debug_unit, offset), offset);

	if (until == 0)
		return NULL;
	struct debug_unit *unit = &units->units[until - 1];

	return offset >= unit->first_die && offset < unit->end ? unit : NULL;
}

/* Units whose entries are in .dwo files, or in a package of them. */

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
