/*
 * A program file: a section's content is changed at the end of the file, where it can grow, and its
 * header points there; packed sections are unpacked, changed and packed again; or one field of a
 * symbol or of a section's header is changed.
 */
#include "mutate_dwarf.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>

#define UNPACKED_MAX ((size_t)1 << 20)

struct program {
	uint8_t *bytes;
	size_t size;
	size_t max_size;
	Elf64_Ehdr header;
};

static bool
read_program(struct program *program)
{
	Elf64_Ehdr *header = &program->header;

	if (program->size < sizeof(*header))
		return false;
	memcpy(header, program->bytes, sizeof(*header));
	return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_shnum > 1 &&
	       header->e_shentsize == sizeof(Elf64_Shdr) && header->e_shoff <= program->size &&
	       header->e_shnum * sizeof(Elf64_Shdr) <= program->size - header->e_shoff;
}

static uint8_t *
section_header(const struct program *program, size_t index)
{
	return program->bytes + program->header.e_shoff + index * sizeof(Elf64_Shdr);
}

/* False where it has no content in the file. */
static bool
read_section(const struct program *program, size_t index, Elf64_Shdr *section)
{
	memcpy(section, section_header(program, index), sizeof(*section));
	return section->sh_type != SHT_NOBITS && section->sh_size > 0 &&
	       section->sh_offset <= program->size &&
	       section->sh_size <= program->size - section->sh_offset;
}

/* Content of a section, from now on at the end of the file. False where there is no room. */
static bool
put_content(struct program *program, size_t index, Elf64_Shdr *section, const uint8_t *content,
	size_t len)
{
	size_t at = program->size + (-program->size & 7);

	/* What is at the end already stays where it is. */
	if (section->sh_offset + section->sh_size == program->size)
		at = section->sh_offset;
	if (at > program->max_size || len > program->max_size - at)
		return false;
	if (at > program->size)
		memset(program->bytes + program->size, 0, at - program->size);
	if (len > 0)
		memcpy(program->bytes + at, content, len);
	program->size = at + len;
	section->sh_offset = at;
	section->sh_size = len;
	memcpy(section_header(program, index), section, sizeof(*section));
	return true;
}

static bool
has_units(const struct program *program, const Elf64_Shdr *section)
{
	Elf64_Shdr names;
	char name[16] = "";

	if (program->header.e_shstrndx >= program->header.e_shnum ||
		!read_section(program, program->header.e_shstrndx, &names) ||
		section->sh_name >= names.sh_size)
		return false;
	size_t left = names.sh_size - section->sh_name;

	memcpy(name, program->bytes + names.sh_offset + section->sh_name,
		left < sizeof(name) ? left : sizeof(name) - 1);
	return strncmp(name, ".debug_", 7) == 0 || strncmp(name, ".eh_frame", 9) == 0;
}

/* Unpacked by zlib behind its header, changed, and packed again. */
static void
change_packed(struct program *program, size_t index, Elf64_Shdr *section, struct chance *chance)
{
	uint8_t *plain = calloc(1, UNPACKED_MAX);
	uint8_t *packed = calloc(1, sizeof(Elf64_Chdr) + compressBound(UNPACKED_MAX));
	uLongf len = UNPACKED_MAX;
	Elf64_Chdr header;

	if (!plain || !packed)
		abort();
	if (section->sh_size < sizeof(header))
		goto out;
	memcpy(&header, program->bytes + section->sh_offset, sizeof(header));
	if (header.ch_type != ELFCOMPRESS_ZLIB ||
		uncompress(plain, &len, program->bytes + section->sh_offset + sizeof(header),
			section->sh_size - sizeof(header)) != Z_OK)
		goto out;
	header.ch_size = mutate_units(plain, len, len + 64 < UNPACKED_MAX ? len + 64 : len, chance);
	memcpy(packed, &header, sizeof(header));
	len = compressBound(UNPACKED_MAX);
	if (compress2(packed + sizeof(header), &len, plain, header.ch_size, 1) == Z_OK)
		put_content(program, index, section, packed, sizeof(header) + len);
out:
	free(plain);
	free(packed);
}

static void
change_content(struct program *program, size_t index, Elf64_Shdr *section, struct chance *chance)
{
	const size_t len = section->sh_size;
	uint8_t *content = calloc(1, len + 64);

	if (!content)
		abort();
	memcpy(content, program->bytes + section->sh_offset, len);
	size_t now = has_units(program, section) ? mutate_units(content, len, len + 64, chance)
						 : LLVMFuzzerMutate(content, len, len + 64);

	put_content(program, index, section, content, now);
	free(content);
}

/* One field of one entry of a table: symbols, relocations, notes' words. */
static void
change_entry(struct program *program, const Elf64_Shdr *section, struct chance *chance)
{
	size_t entry = section->sh_entsize >= 8 ? section->sh_entsize : 8;

	if (section->sh_size < entry)
		return;
	size_t at = section->sh_offset + chance_below(chance, section->sh_size / entry) * entry +
		    chance_below(chance, entry / 4) * 4;

	LLVMFuzzerMutate(program->bytes + at, 4, 4);
}

static void
mutate(struct program *program, struct chance *chance)
{
	const size_t index = 1 + chance_below(chance, program->header.e_shnum - 1U);
	Elf64_Shdr section;
	const size_t kind = chance_below(chance, 8);

	if (kind == 0 || !read_section(program, index, &section))
		LLVMFuzzerMutate(section_header(program, index) +
					 8 * chance_below(chance, sizeof(Elf64_Shdr) / 8),
			8, 8);
	else if (section.sh_flags & SHF_COMPRESSED)
		change_packed(program, index, &section, chance);
	else if (kind < 4)
		change_entry(program, &section, chance);
	else
		change_content(program, index, &section, chance);
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	struct chance chance = {seed};
	struct program program = {.bytes = data, .size = size, .max_size = max_size};

	if (!read_program(&program) || chance_below(&chance, 16) == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	mutate(&program, &chance);
	return program.size;
}
