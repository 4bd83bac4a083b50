#include "code/program_digest.h"

#include "code/digest_internal.h"

#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

/*
 * .eh_frame: which code each entry is for, by where that is. Source: LSB Core 5.0, sections 10.6.1
 * to 10.6.2.
 */

#define PC_RELATIVE_4 (DW_EH_PE_pcrel | DW_EH_PE_sdata4)

struct record {
	const unsigned char *bytes; /* behind the length */
	uint64_t address;
	uint32_t len;
	uint32_t parent; /* 0: the record describes others */
};

/* How the records that refer to one are written. */
struct shape {
	bool has_data;   /* augmentation data, after their length */
	bool has_tables; /* ... which are the address of a table of exceptions */
};

static uint32_t
word_at(const unsigned char *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

static bool
read_record(const struct digest_section *section, uint64_t at, struct record *record)
{
	if (section->size - at < 8)
		return false;
	record->len = word_at(section->bytes + at);
	/* Long ones are of no compiler. */
	if (record->len < 4 || record->len == UINT32_MAX || section->size - at - 4 < record->len)
		return false;
	record->bytes = section->bytes + at + 4;
	record->address = section->address + at + 4;
	record->parent = word_at(record->bytes);
	return true;
}

static bool
skip_leb(const struct record *record, uint32_t *at)
{
	while (*at < record->len && (record->bytes[*at] & 0x80))
		++*at;
	return ++*at <= record->len;
}

/* The description at `bytes`: "zR", "zPLR" and the like with distances of 4 bytes. */
static bool
read_shape(const struct record *record, struct shape *shape, uint32_t *personality_at)
{
	const char *letters = (const char *)record->bytes + 5;
	uint32_t at = 5;

	*shape = (struct shape){0};
	*personality_at = 0;
	while (at < record->len && record->bytes[at])
		at++;
	if (++at > record->len || letters[0] != 'z')
		return false;
	for (int i = 0; i < 4; i++) /* alignment of code and data, register, length */
		if (!skip_leb(record, &at))
			return false;
	shape->has_data = true;
	for (letters++; *letters; letters++) {
		if (*letters == 'S' || *letters == 'B')
			continue;
		if (at >= record->len)
			return false;
		uint8_t encoding = record->bytes[at++];

		if (*letters == 'R' && encoding == PC_RELATIVE_4)
			continue;
		if (*letters == 'L' && encoding == PC_RELATIVE_4) {
			shape->has_tables = true;
			continue;
		}
		if (*letters != 'P' || (encoding & ~DW_EH_PE_indirect) != PC_RELATIVE_4 ||
			record->len - at < 4)
			return false;
		*personality_at = at;
		at += 4;
	}
	return true;
}

static void
put_distance(struct digest *digest, const struct record *record, uint32_t at)
{
	const uint64_t target =
		record->address + at + (uint64_t)(int64_t)(int32_t)word_at(record->bytes + at);

	if (!digest_address(digest, 'd', target))
		digest_raw(digest, record->bytes + at, 4);
}

static bool
put_description(struct digest *digest, const struct record *record)
{
	uint32_t personality;
	struct shape shape;

	if (!read_shape(record, &shape, &personality))
		return false;
	if (personality == 0) {
		digest_raw(digest, record->bytes, record->len);
		return true;
	}
	digest_raw(digest, record->bytes, personality);
	put_distance(digest, record, personality);
	digest_raw(digest, record->bytes + personality + 4, record->len - personality - 4);
	return true;
}

static bool
put_function(struct digest *digest, const struct digest_section *section, uint64_t at,
	const struct record *record)
{
	struct record parent;
	struct shape shape;
	uint32_t ignored;
	uint32_t data = 12;

	if (record->parent > at + 4 || record->len < 13 ||
		!read_record(section, at + 4 - record->parent, &parent) || parent.parent != 0 ||
		!read_shape(&parent, &shape, &ignored))
		return false;
	digest_raw(digest, record->bytes, 4);
	put_distance(digest, record, 4);
	digest_raw(digest, record->bytes + 8, 4);
	if (!shape.has_tables || record->bytes[data] != 4 || record->len < data + 5 ||
		word_at(record->bytes + data + 1) == 0) {
		digest_raw(digest, record->bytes + data, record->len - data);
		return true;
	}
	digest_raw(digest, record->bytes + data, 1);
	put_distance(digest, record, data + 1);
	digest_raw(digest, record->bytes + data + 5, record->len - data - 5);
	return true;
}

/* .eh_frame. False: not understood. */
static bool
digest_unwind(struct digest *digest, const struct digest_section *section)
{
	if (digest->machine != EM_X86_64 || !section->bytes ||
		strcmp(section->name, ".eh_frame") != 0)
		return false;
	for (uint64_t at = 0; at < section->size;) {
		struct record record;

		if (!read_record(section, at, &record)) {
			digest_raw(digest, section->bytes + at, section->size - at);
			break;
		}
		digest_mark(digest, 'u', record.len);
		if (!(record.parent == 0 ? put_description(digest, &record)
					 : put_function(digest, section, at, &record)))
			digest_raw(digest, record.bytes, record.len);
		at += 4 + (uint64_t)record.len;
	}
	return true;
}

/*
 * The index of .eh_frame, which follows from it: a table of pairs, both from its own beginning,
 * where code is, and its record in .eh_frame. False: not understood.
 */
static bool
digest_unwind_index(struct digest *digest, const struct digest_section *section)
{
	static const unsigned char usual[] = {
		1, PC_RELATIVE_4, DW_EH_PE_udata4, DW_EH_PE_datarel | DW_EH_PE_sdata4};

	if (digest->machine != EM_X86_64 || !section->bytes || section->size < 12 ||
		strcmp(section->name, ".eh_frame_hdr") != 0 ||
		memcmp(section->bytes, usual, sizeof(usual)) != 0)
		return false;
	for (uint64_t at = 4; at < section->size; at += 4) {
		const uint64_t base = at == 4 ? section->address + 4 : section->address;
		const unsigned char *field = section->bytes + at;

		if (at == 8 || section->size - at < 4 ||
			!digest_address(
				digest, 'd', base + (uint64_t)(int64_t)(int32_t)word_at(field)))
			digest_raw(digest, field, section->size - at < 4 ? section->size - at : 4);
	}
	return true;
}

/* A digest of another version of these rules is another digest. */
#define RULES "profile_run program digest 2"

static void
put_contents(struct digest *digest, const struct digest_section *section)
{
	if (section->header.sh_flags & SHF_EXECINSTR)
		digest_code(digest, section);
	else if (digest_link_table(digest, section) || digest_unwind(digest, section) ||
		 digest_unwind_index(digest, section))
		return;
	else if (section->bytes && digest->machine == EM_X86_64 &&
		 strcmp(section->name, ".gcc_except_table") == 0)
		digest_exceptions(digest, section);
	else
		digest_data(digest, section, digest_go_table(digest, section));
}

static void
put_section(struct digest *digest, const struct digest_section *section)
{
	const GElf_Shdr *header = &section->header;

	digest_text(digest, 'S', section->name);
	digest_mark(digest, 'T', header->sh_type);
	digest_mark(digest, 'F', header->sh_flags);
	digest_mark(digest, 'A', header->sh_addralign);
	put_contents(digest, section);
	digest_flush(digest);
}

/* Where segments begin and end follows from the sections in them. */
static void
put_headers(struct digest *digest)
{
	GElf_Ehdr header;
	GElf_Phdr segment;

	if (!gelf_getehdr(digest->file.elf, &header))
		return;
	digest_mark(digest, 'E', header.e_type);
	digest_mark(digest, 'M', header.e_machine);
	digest_mark(digest, 'O', header.e_ident[EI_OSABI]);
	if (!digest_address(digest, 'e', header.e_entry))
		digest_mark(digest, 'n', header.e_entry);
	for (size_t i = 0; i < digest->file.nheaders; i++) {
		if (!gelf_getphdr(digest->file.elf, (int)i, &segment) || segment.p_type == PT_NOTE)
			continue;
		digest_mark(digest, 'P', segment.p_type);
		digest_mark(digest, 'F', segment.p_flags);
		digest_mark(digest, 'A', segment.p_align);
	}
}

/* Sections that nothing reads but debuggers and linkers. */
static bool
is_for_debuggers(const char *name, uint32_t type)
{
	static const char *const starts[] = {".debug_", ".zdebug_", ".gdb_index", ".gnu_debug",
		".comment", ".note.stapsdt", ".stab", ".llvm_addrsig", ".gnu.build.attributes"};

	if (type == SHT_SYMTAB || type == SHT_STRTAB || type == SHT_NULL || type == SHT_GROUP)
		return true;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (strncmp(name, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

/* A program may read its own file: what was added to it counts. */
static void
put_added(struct digest *digest)
{
	GElf_Ehdr header;
	GElf_Shdr section;
	uint64_t end = 0;

	if (!gelf_getehdr(digest->file.elf, &header))
		return;
	end = header.e_shoff + (uint64_t)header.e_shnum * header.e_shentsize;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(digest->file.elf, scn));) {
		if (!gelf_getshdr(scn, &section) || section.sh_type == SHT_NOBITS ||
			section.sh_offset > digest->len ||
			section.sh_size > digest->len - section.sh_offset)
			continue;
		if (section.sh_offset + section.sh_size > end)
			end = section.sh_offset + section.sh_size;
		const char *name = elf_image_section_name(&digest->file, &section);

		if ((section.sh_flags & SHF_ALLOC) || is_for_debuggers(name, section.sh_type))
			continue;
		digest_text(digest, 'N', name);
		digest_raw(digest, digest->bytes + section.sh_offset, section.sh_size);
		digest_flush(digest);
	}
	if (end < digest->len)
		digest_raw(digest, digest->bytes + end, digest->len - end);
	digest_flush(digest);
}

static void
release_digest(struct digest *digest)
{
	for (size_t i = 0; i < digest->nranges; i++)
		free(digest->ranges[i].text);
	free(digest->ranges);
	free(digest->targets);
	free(digest->filled);
	free(digest->moved);
	free(digest->sections);
	elf_image_close(&digest->file);
}

int
program_digest(
	const char *path, const char *const *folders, char text[HASH_TEXT_SIZE], struct err *err)
{
	struct digest digest = {.file = {.fd = -1}, .folders = folders};
	int result = digest_layout_read(&digest, path, err);

	if (result == 0) {
		for (size_t i = 0; i < digest.nsections; i++)
			if (digest.sections[i].header.sh_flags & SHF_EXECINSTR)
				digest_code_targets(&digest, &digest.sections[i]);
		digest_find_filled(&digest);
		digest_omit(&digest);
		digest.out = hash_stream_new();
		hash_stream_add(digest.out, RULES, sizeof(RULES));
		put_headers(&digest);
		for (size_t i = 0; i < digest.nsections; i++)
			put_section(&digest, &digest.sections[i]);
		put_added(&digest);
		hash_stream_end(digest.out, text);
	}
	release_digest(&digest);
	return result;
}
