#include "code/digest_internal.h"

#include "base/mem.h"
#include "base/search.h"

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

int
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

/* Thread-local zeros have no place of their own: addresses there are those of what follows. */
static bool
has_addresses(const struct digest_section *section)
{
	return section->header.sh_type != SHT_NOBITS || !(section->header.sh_flags & SHF_TLS);
}

const struct digest_section *
digest_section_at(const struct digest *digest, uint64_t address)
{
	size_t until = search_until(digest->sections, digest->nsections,
		SEARCH_BY(struct digest_section, address), address);

	while (until-- > 0) {
		const struct digest_section *section = &digest->sections[until];

		if (!has_addresses(section) || section->size == 0)
			continue;
		return address - section->address < section->size ? section : NULL;
	}
	return NULL;
}

const struct digest_section *
digest_section_named(const struct digest *digest, const char *name)
{
	for (size_t i = 0; i < digest->nsections; i++)
		if (strcmp(digest->sections[i].name, name) == 0)
			return &digest->sections[i];
	return NULL;
}

/* The range that `address` is in, or the first one behind it. */
static size_t
ranges_before(const struct digest *digest, uint64_t address)
{
	return search_until(
		digest->ranges, digest->nranges, SEARCH_BY(struct digest_range, end), address);
}

static uint64_t
omitted_before(const struct digest *digest, size_t range)
{
	const struct digest_range *last = range > 0 ? &digest->ranges[range - 1] : NULL;

	if (!last)
		return 0;
	/* What is put in the place of the others counts one. */
	return last->before + (last->end - last->address) - (last->kind != OMIT_PADDING);
}

bool
digest_place(const struct digest *digest, uint64_t address, uint32_t *number, uint64_t *place)
{
	const struct digest_section *section = digest_section_at(digest, address);
	size_t range = ranges_before(digest, address);

	if (!section && address > 0) {
		section = digest_section_at(digest, address - 1);
		if (section && section->address + section->size != address)
			section = NULL;
	}
	if (!section || (range < digest->nranges && digest->ranges[range].address < address))
		return false;
	uint64_t omitted = omitted_before(digest, range) -
			   omitted_before(digest, ranges_before(digest, section->address));

	*number = section->number;
	*place = address - section->address - omitted;
	return true;
}

bool
digest_omits(const struct digest *digest, uint64_t from, uint64_t to)
{
	size_t range = ranges_before(digest, from);

	return to > from && range < digest->nranges && digest->ranges[range].address < to;
}

void
digest_flush(struct digest *digest)
{
	const unsigned char *run = digest->run;
	uint64_t len = digest->run_len;

	if (len == 0)
		return;
	digest->run_len = 0;
	digest_mark(digest, 'r', len);
	hash_stream_add(digest->out, run, len);
}

void
digest_raw(struct digest *digest, const unsigned char *bytes, size_t len)
{
	if (digest->run_len > 0 && digest->run + digest->run_len == bytes) {
		digest->run_len += len;
		return;
	}
	digest_flush(digest);
	digest->run = bytes;
	digest->run_len = len;
}

void
digest_mark(struct digest *digest, char mark, uint64_t value)
{
	unsigned char bytes[1 + sizeof(value)];

	digest_flush(digest);
	bytes[0] = (unsigned char)mark;
	memcpy(bytes + 1, &value, sizeof(value));
	hash_stream_add(digest->out, bytes, sizeof(bytes));
}

void
digest_text(struct digest *digest, char mark, const char *text)
{
	size_t len = strlen(text);

	digest_mark(digest, mark, len);
	hash_stream_add(digest->out, text, len);
}

bool
digest_address(struct digest *digest, char mark, uint64_t address)
{
	uint32_t number;
	uint64_t place;

	if (!digest_place(digest, address, &number, &place))
		return false;
	digest_mark(digest, mark, number);
	digest_mark(digest, '+', place);
	return true;
}
