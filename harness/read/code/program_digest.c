#include "code/program_digest.h"

#include "base/mem.h"
#include "code/digest_internal.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define NT_GO_BUILD_ID 4

/* Whether all notes of a section are identifiers of the build. */
static bool
is_build_id(const unsigned char *bytes, size_t size)
{
	size_t at = 0;

	if (!bytes)
		return false;
	while (size - at >= sizeof(GElf_Nhdr)) {
		GElf_Nhdr note;

		memcpy(&note, bytes + at, sizeof(note));
		at += sizeof(note);
		uint64_t step = ((uint64_t)note.n_namesz + 3) / 4 * 4 +
				((uint64_t)note.n_descsz + 3) / 4 * 4;
		bool gnu = note.n_namesz == 4 && note.n_type == NT_GNU_BUILD_ID && size - at >= 4 &&
			   memcmp(bytes + at, "GNU", 4) == 0;
		bool go = note.n_namesz == 4 && note.n_type == NT_GO_BUILD_ID && size - at >= 4 &&
			  memcmp(bytes + at, "Go\0", 4) == 0;

		if (!gnu && !go)
			return false;
		if (step > size - at)
			break;
		at += step;
	}
	return size > 0;
}

static int
compare_sections(const void *a, const void *b)
{
	const struct digest_section *one = a;
	const struct digest_section *other = b;

	if (one->address != other->address)
		return one->address < other->address ? -1 : 1;
	/* An empty one is ahead of the one that begins there. */
	if (one->size != other->size)
		return one->size < other->size ? -1 : 1;
	return (one->index > other->index) - (one->index < other->index);
}

static int
read_sections(struct digest *digest, const char *path, struct err *err)
{
	size_t capacity = 0;
	GElf_Shdr header;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(digest->file.elf, scn));) {
		if (!gelf_getshdr(scn, &header))
			return err_set(err, ERR_INPUT, "%s: its sections cannot be read", path);
		if (!(header.sh_flags & SHF_ALLOC))
			continue;
		bool held = header.sh_type != SHT_NOBITS;

		if (header.sh_addr + header.sh_size < header.sh_addr ||
			(held && (header.sh_offset > digest->len ||
					 header.sh_size > digest->len - header.sh_offset)))
			return err_set(
				err, ERR_INPUT, "%s: a section is not where the file says", path);
		const unsigned char *bytes = held ? digest->bytes + header.sh_offset : NULL;

		if (header.sh_type == SHT_NOTE && is_build_id(bytes, header.sh_size))
			continue;
		digest->sections = mem_grow(digest->sections, &capacity, digest->nsections + 1,
			sizeof(*digest->sections));
		digest->sections[digest->nsections++] = (struct digest_section){
			.address = header.sh_addr,
			.size = header.sh_size,
			.name = elf_image_section_name(&digest->file, &header),
			.bytes = bytes,
			.header = header,
			.index = elf_ndxscn(scn),
		};
	}
	if (digest->nsections == 0)
		return err_set(err, ERR_INPUT, "%s: it has no sections", path);
	qsort(digest->sections, digest->nsections, sizeof(*digest->sections), compare_sections);
	for (size_t i = 0; i < digest->nsections; i++)
		digest->sections[i].number = (uint32_t)i;
	return 0;
}

static int
digest_layout_read(struct digest *digest, const char *path, struct err *err)
{
	GElf_Ehdr header;

	if (!elf_image_open(&digest->file, path))
		return err_set(err, ERR_INPUT, "%s: it cannot be read as a program", path);
	digest->bytes = (const unsigned char *)elf_rawfile(digest->file.elf, &digest->len);
	if (!digest->bytes || !gelf_getehdr(digest->file.elf, &header) ||
		header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
		(header.e_type != ET_EXEC && header.e_type != ET_DYN))
		return err_set(
			err, ERR_INPUT, "%s: a program or library of 64 bits was expected", path);
	digest->machine = header.e_machine;
	digest->fixed = header.e_type == ET_EXEC;
	return read_sections(digest, path, err);
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
	const char *path, const char *const *folders, char text[SHA256_TEXT_SIZE], struct err *err)
{
	struct digest digest = {.file = {.fd = -1}, .folders = folders};
	int result = digest_layout_read(&digest, path, err);

	if (result == 0) {
		for (size_t i = 0; i < digest.nsections; i++)
			if (digest.sections[i].header.sh_flags & SHF_EXECINSTR)
				digest_code_targets(&digest, &digest.sections[i]);
		digest_find_filled(&digest);
		digest_omit(&digest);
		digest.out = sha256_stream_new();
		sha256_stream_add(digest.out, RULES, sizeof(RULES));
		put_headers(&digest);
		for (size_t i = 0; i < digest.nsections; i++)
			put_section(&digest, &digest.sections[i]);
		put_added(&digest);
		sha256_stream_end(digest.out, text);
	}
	release_digest(&digest);
	return result;
}
