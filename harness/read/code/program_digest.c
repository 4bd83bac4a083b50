#include "code/program_digest.h"

#include "base/mem.h"
#include "base/sort.h"
#include "code/digest_internal.h"

#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* The sections of the program. */

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

/* The tables of the dynamic linker: libraries, symbols, versions, relocations. */

static void
add_address(uint64_t **addresses, size_t *count, size_t *capacity, uint64_t address)
{
	*addresses = mem_grow(*addresses, capacity, *count + 1, sizeof(**addresses));
	(*addresses)[(*count)++] = address;
}

static bool
is_moved_addend(uint32_t type)
{
	return type == R_X86_64_RELATIVE || type == R_X86_64_IRELATIVE;
}

/* Whether the whole word is written, whatever was there. */
static bool
is_written(uint32_t type)
{
	switch (type) {
	case R_X86_64_64:
	case R_X86_64_GLOB_DAT:
	case R_X86_64_RELATIVE:
	case R_X86_64_DTPMOD64:
	case R_X86_64_DTPOFF64:
	case R_X86_64_TPOFF64:
		return true;
	default:
		return false;
	}
}

static size_t
relocation_count(const struct digest_section *section)
{
	return section->header.sh_type == SHT_RELA && section->bytes
		       ? section->size / sizeof(Elf64_Rela)
		       : 0;
}

static Elf64_Rela
relocation_at(const struct digest_section *section, size_t i)
{
	Elf64_Rela rela;

	memcpy(&rela, section->bytes + i * sizeof(rela), sizeof(rela));
	return rela;
}

/*
 * Packed relocations: an even word is an address, an odd one has a bit for each of the 63 words
 * that follow. Source: gABI, "SHT_RELR".
 */
static void
read_packed(struct digest *digest, const struct digest_section *section)
{
	uint64_t base = 0;

	for (uint64_t at = 0; section->bytes && section->size - at >= 8; at += 8) {
		uint64_t word;

		memcpy(&word, section->bytes + at, sizeof(word));
		if (!(word & 1)) {
			add_address(&digest->moved, &digest->nmoved, &digest->moved_capacity, word);
			base = word + 8;
			continue;
		}
		for (unsigned bit = 1; bit < 64; bit++)
			if (word >> bit & 1)
				add_address(&digest->moved, &digest->nmoved,
					&digest->moved_capacity, base + (bit - 1) * UINT64_C(8));
		base += UINT64_C(63) * 8;
	}
}

/* Where the dynamic linker writes, and what it leads to. */
static void
digest_find_filled(struct digest *digest)
{
	for (size_t s = 0; s < digest->nsections && digest->machine == EM_X86_64; s++) {
		const struct digest_section *section = &digest->sections[s];

		if (section->header.sh_type == SHT_RELR)
			read_packed(digest, section);
		for (size_t i = 0; i < relocation_count(section); i++) {
			Elf64_Rela rela = relocation_at(section, i);
			uint32_t type = (uint32_t)ELF64_R_TYPE(rela.r_info);

			if (is_written(type))
				add_address(&digest->filled, &digest->nfilled,
					&digest->filled_capacity, rela.r_offset);
			if (is_moved_addend(type))
				digest_add_target(digest, (uint64_t)rela.r_addend);
		}
	}
	if (digest->nfilled > 0)
		qsort(digest->filled, digest->nfilled, sizeof(*digest->filled), sort_address_order);
	if (digest->nmoved > 0)
		qsort(digest->moved, digest->nmoved, sizeof(*digest->moved), sort_address_order);
	if (digest->ntargets > 0)
		qsort(digest->targets, digest->ntargets, sizeof(*digest->targets),
			sort_address_order);
}

static void
put_address(struct digest *digest, char mark, uint64_t address)
{
	if (!digest_address(digest, mark, address))
		digest_mark(digest, 'n', address);
}

static void
put_relocations(struct digest *digest, const struct digest_section *section)
{
	for (size_t i = 0; i < relocation_count(section); i++) {
		Elf64_Rela rela = relocation_at(section, i);

		put_address(digest, 'p', rela.r_offset);
		digest_mark(digest, 'i', rela.r_info);
		if (digest->machine == EM_X86_64 &&
			is_moved_addend((uint32_t)ELF64_R_TYPE(rela.r_info)))
			put_address(digest, 'a', (uint64_t)rela.r_addend);
		else
			digest_mark(digest, 'n', (uint64_t)rela.r_addend);
	}
}

static struct elf_names
names_of(const struct digest *digest, const struct digest_section *section)
{
	return elf_names_of(&digest->file, section->header.sh_link);
}

static void
put_link_name(struct digest *digest, struct elf_names *names, uint64_t offset, bool is_path)
{
	const char *name = elf_names_at(names, offset);

	if (!name)
		digest_mark(digest, '?', offset);
	else if (is_path)
		digest_put_name(digest, 's', name);
	else
		digest_text(digest, 's', name);
}

static void
put_dynamic(struct digest *digest, const struct digest_section *section)
{
	struct elf_names names = names_of(digest, section);

	for (uint64_t at = 0; section->size - at >= sizeof(Elf64_Dyn); at += sizeof(Elf64_Dyn)) {
		Elf64_Dyn entry;

		memcpy(&entry, section->bytes + at, sizeof(entry));
		digest_mark(digest, 't', (uint64_t)entry.d_tag);
		switch (entry.d_tag) {
		case DT_NEEDED:
		case DT_SONAME:
		case DT_AUXILIARY:
		case DT_FILTER:
			put_link_name(digest, &names, entry.d_un.d_val, false);
			break;
		case DT_RPATH:
		case DT_RUNPATH:
			put_link_name(digest, &names, entry.d_un.d_val, true);
			break;
		case DT_STRSZ: /* of the names above */
			break;
		case DT_PLTRELSZ:
		case DT_RELASZ:
		case DT_RELAENT:
		case DT_SYMENT:
		case DT_FLAGS:
		case DT_FLAGS_1:
		case DT_RELACOUNT:
		case DT_VERNEEDNUM:
		case DT_VERDEFNUM:
		case DT_INIT_ARRAYSZ:
		case DT_FINI_ARRAYSZ:
		case DT_PREINIT_ARRAYSZ:
		case DT_PLTREL:
			digest_mark(digest, 'n', entry.d_un.d_val);
			break;
		default:
			put_address(digest, 'a', entry.d_un.d_val);
		}
	}
}

static uint64_t
section_number(const struct digest *digest, uint16_t index)
{
	for (size_t i = 0; i < digest->nsections; i++)
		if (digest->sections[i].index == index)
			return digest->sections[i].number;
	return UINT64_C(1) << 32 | index;
}

static void
put_symbols(struct digest *digest, const struct digest_section *section)
{
	struct elf_names names = names_of(digest, section);

	for (uint64_t at = 0; section->size - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
		Elf64_Sym symbol;
		bool placed;

		memcpy(&symbol, section->bytes + at, sizeof(symbol));
		placed = symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < SHN_LORESERVE &&
			 (symbol.st_info & 0xf) != STT_TLS;
		put_link_name(digest, &names, symbol.st_name, false);
		digest_mark(digest, 'i', symbol.st_info | (uint64_t)symbol.st_other << 8);
		digest_mark(digest, 'x', section_number(digest, symbol.st_shndx));
		if (placed)
			put_address(digest, 'a', symbol.st_value);
		else
			digest_mark(digest, 'n', symbol.st_value);
		digest_mark(digest, 'n', symbol.st_size);
	}
}

/*
 * Versions: entries of 16 or 20 bytes, each with some more, both linked by offsets. Those are taken
 * as they are but for the one word that is a name: all sections of one kind are laid out alike.
 */
static void
put_versions(struct digest *digest, const struct digest_section *section, bool needed)
{
	struct elf_names names = names_of(digest, section);
	uint64_t at = 0;

	for (unsigned i = 0; i < section->header.sh_info; i++) {
		const size_t bytes = needed ? sizeof(Elf64_Verneed) : sizeof(Elf64_Verdef);
		Elf64_Verneed need;
		Elf64_Verdef define;
		uint64_t more;
		unsigned count;

		if (at > section->size || section->size - at < bytes)
			break;
		memcpy(&need, section->bytes + at, sizeof(need));
		if (needed) {
			digest_mark(digest, 'v', need.vn_cnt);
			put_link_name(digest, &names, need.vn_file, false);
			count = need.vn_cnt;
			more = at + need.vn_aux;
		} else {
			memcpy(&define, section->bytes + at, sizeof(define));
			digest_mark(digest, 'v', define.vd_flags | (uint64_t)define.vd_ndx << 16);
			digest_mark(digest, 'v', define.vd_hash | (uint64_t)define.vd_cnt << 32);
			count = define.vd_cnt;
			more = at + define.vd_aux;
		}
		while (count-- > 0) {
			Elf64_Vernaux aux;
			Elf64_Verdaux name;

			if (more > section->size ||
				section->size - more < (needed ? sizeof(aux) : sizeof(name)))
				break;
			if (needed) {
				memcpy(&aux, section->bytes + more, sizeof(aux));
				digest_mark(digest, 'w',
					aux.vna_hash | (uint64_t)aux.vna_other << 32 |
						(uint64_t)aux.vna_flags << 48);
				put_link_name(digest, &names, aux.vna_name, false);
				more += aux.vna_next;
			} else {
				memcpy(&name, section->bytes + more, sizeof(name));
				put_link_name(digest, &names, name.vda_name, false);
				more += name.vda_next;
			}
		}
		at += needed ? need.vn_next : define.vd_next;
	}
}

/* Whether the section is one of the dynamic linker's tables, and then added. */
static bool
digest_link_table(struct digest *digest, const struct digest_section *section)
{
	if (!section->bytes)
		return false;
	switch (section->header.sh_type) {
	case SHT_STRTAB: /* by the tables that use it */
		return true;
	case SHT_RELA:
		put_relocations(digest, section);
		return true;
	case SHT_DYNAMIC:
		put_dynamic(digest, section);
		return true;
	case SHT_DYNSYM:
		put_symbols(digest, section);
		return true;
	case SHT_GNU_verneed:
		put_versions(digest, section, true);
		return true;
	case SHT_GNU_verdef:
		put_versions(digest, section, false);
		return true;
	case SHT_RELR:
		for (size_t i = 0; i < digest->nmoved; i++)
			put_address(digest, 'p', digest->moved[i]);
		return true;
	case SHT_GNU_HASH:
	case SHT_HASH:
	case SHT_GNU_versym:
		digest_raw(digest, section->bytes, section->size);
		return true;
	default:
		return false;
	}
}

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
