/*
 * The digest of the dynamic linker's tables: libraries, symbols, versions and relocations.
 */
#include "base/mem.h"
#include "base/sort.h"
#include "code/digest_internal.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

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

void
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

bool
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
