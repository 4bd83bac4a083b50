#include "dwarf/debug_unit.h"

#include "base/mem.h"
#include "base/search.h"

#include <dwarf.h>
#include <stdlib.h>

/* Longer than any name; a string can be referred to from everywhere. */
#define STRING_BYTES_MAX (1 << 16)

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

bool
debug_data_memory(struct debug_data *data, uint64_t bytes)
{
	return allowance_take(&data->memory, bytes);
}

bool
debug_data_work(struct debug_data *data, uint64_t bytes)
{
	return allowance_take(&data->work, bytes);
}

struct cursor
debug_data_at(const struct debug_data *data, enum debug_section section, uint64_t offset)
{
	const struct debug_bytes *bytes = &data->sections[section];

	if (offset >= bytes->len)
		return (struct cursor){.failed = true};
	return (struct cursor){bytes->start + offset, bytes->start + bytes->len, false};
}

const char *
debug_data_string(const struct debug_data *data, enum debug_section section, uint64_t offset)
{
	struct cursor cursor = debug_data_at(data, section, offset);

	if (cursor.end - cursor.at > STRING_BYTES_MAX)
		cursor.end = cursor.at + STRING_BYTES_MAX;
	return cursor.failed ? NULL : cursor_string(&cursor);
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
