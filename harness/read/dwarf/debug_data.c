#include "dwarf/debug_data.h"

#include "base/mem.h"
#include "elf/elf_image.h"

#include <dwarf.h>
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

uint64_t
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
