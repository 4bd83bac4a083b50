#include "code/image.h"

#include "base/mem.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/text.h"
#include "elf/debug_file.h"
#include "elf/elf_image.h"
#include "elf/elf_packed.h"
#include "elf/elf_symbols.h"
#include "elf/plt.h"

#include <stdlib.h>
#include <string.h>

static void
read_sections(struct code_image *image)
{
	size_t capacity = 0;
	size_t file_bytes = 0;
	const char *file = elf_rawfile(image->file.elf, &file_bytes);
	GElf_Shdr header;

	if (!file)
		return;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(image->file.elf, scn));) {
		/* The addresses of .tbss overlap those of other sections. */
		if (!gelf_getshdr(scn, &header) || !(header.sh_flags & SHF_ALLOC) ||
			header.sh_size == 0 ||
			((header.sh_flags & SHF_TLS) && header.sh_type == SHT_NOBITS) ||
			header.sh_addr + header.sh_size < header.sh_addr)
			continue;
		bool held = header.sh_type != SHT_NOBITS && header.sh_offset <= file_bytes &&
			    header.sh_size <= file_bytes - header.sh_offset;

		const char *name = elf_image_section_name(&image->file, &header);
		image->sections = mem_grow(
			image->sections, &capacity, image->nsections + 1, sizeof(*image->sections));
		image->sections[image->nsections++] = (struct code_section){
			.address = header.sh_addr,
			.size = header.sh_size,
			.name = name,
			.bytes = held ? (const unsigned char *)file + header.sh_offset : NULL,
			.code = (header.sh_flags & SHF_EXECINSTR) != 0,
			.writable = (header.sh_flags & SHF_WRITE) != 0,
			.slots = text_begins(name, ".got"),
			.stubs = text_begins(name, ".plt") || text_begins(name, ".iplt"),
		};
	}
	if (image->nsections > 0)
		qsort(image->sections, image->nsections, sizeof(*image->sections),
			sort_address_order);
}

static int
compare_names(const void *a, const void *b)
{
	const struct code_name *one = a;
	const struct code_name *other = b;

	if (one->offset != other->offset)
		return one->offset < other->offset ? -1 : 1;
	if ((one->binding == BINDING_LOCAL) != (other->binding == BINDING_LOCAL))
		return one->binding == BINDING_LOCAL ? 1 : -1;
	return strcmp(one->name, other->name);
}

/* Before the table is finished: until then it has all names, as the linker has them. */
static void
keep_names(struct code_image *image)
{
	const struct symtab *tab = &image->tab;
	size_t kept = 0;

	if (tab->count == 0)
		return;
	image->names = mem_zalloc(tab->count, sizeof(*image->names));
	for (size_t i = 0; i < tab->count; i++)
		image->names[i] = (struct code_name){.offset = tab->entries[i].start,
			.name = tab->entries[i].name,
			.binding = tab->entries[i].binding};
	qsort(image->names, tab->count, sizeof(*image->names), compare_names);
	for (size_t i = 0; i < tab->count; i++)
		if (kept == 0 || image->names[kept - 1].offset != image->names[i].offset)
			image->names[kept++] = image->names[i];
	image->nnames = kept;
}

/* In the order of symbols/module.c, so that names are those of the frames. */
static void
read_symbols(struct code_image *image, const char *path)
{
	struct elf_image *file = &image->file;
	struct elf_image debug = {.fd = -1};
	struct elf_image mini;
	size_t added = 0;
	bool has_debug = debug_file_open(&debug, file, "", path);

	if (has_debug)
		added = elf_image_symbols(&debug, file, SHT_SYMTAB, &image->tab);
	if (added == 0)
		added = elf_image_symbols(file, file, SHT_SYMTAB, &image->tab);
	if (added == 0 && elf_packed_open_mini(&mini, file)) {
		added = elf_image_symbols(&mini, file, SHT_SYMTAB, &image->tab);
		elf_image_close(&mini);
	}
	image->complete = added > 0;
	elf_image_symbols(file, file, SHT_DYNSYM, &image->tab);
	keep_names(image);
	symtab_finish(&image->tab, false);
	elf_image_labels(has_debug ? &debug : file, file, &image->tab);
	plt_symbols(file, &image->tab);
	symtab_index(&image->tab);
	if (has_debug)
		elf_image_close(&debug);
}

int
code_image_open(struct code_image *image, const char *path, struct err *err)
{
	GElf_Ehdr header;

	*image = (struct code_image){0};
	if (!elf_packed_open(&image->file, path))
		return err_set(err, ERR_INPUT, "%s: it cannot be read as a program", path);
	if (!gelf_getehdr(image->file.elf, &header) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
		header.e_ident[EI_DATA] != ELFDATA2LSB ||
		(header.e_type != ET_EXEC && header.e_type != ET_DYN) ||
		(header.e_machine != EM_X86_64 && header.e_machine != EM_AARCH64)) {
		code_image_close(image);
		return err_set(err, ERR_INPUT,
			"%s: a program or library of x86-64 or AArch64 was expected", path);
	}
	image->machine = header.e_machine;
	image->fixed = header.e_type == ET_EXEC;
	read_sections(image);
	if (image->nsections == 0) {
		code_image_close(image);
		return err_set(err, ERR_INPUT, "%s: it has no sections", path);
	}
	read_symbols(image, path);
	return 0;
}

void
code_image_close(struct code_image *image)
{
	elf_image_close(&image->file);
	symtab_release(&image->tab);
	free(image->sections);
	free(image->names);
	free(image->slots);
	*image = (struct code_image){.file.fd = -1};
}

const struct code_section *
code_image_section(const struct code_image *image, uint64_t address)
{
	size_t until = search_until(image->sections, image->nsections,
		SEARCH_BY(struct code_section, address), address);

	if (until == 0)
		return NULL;
	const struct code_section *section = &image->sections[until - 1];

	return address - section->address < section->size ? section : NULL;
}

const unsigned char *
code_section_bytes(const struct code_section *section, uint64_t address, uint64_t len)
{
	uint64_t at = address - section->address;

	if (!section->bytes || address < section->address || at > section->size ||
		len > section->size - at)
		return NULL;
	return section->bytes + at;
}

/* How many names are at or before `offset`. */
static size_t
names_until(const struct code_image *image, uint64_t offset)
{
	return search_until(
		image->names, image->nnames, SEARCH_BY(struct code_name, offset), offset);
}

bool
code_image_symbol(const struct code_image *image, uint64_t address, struct code_symbol *symbol)
{
	const struct code_section *section = code_image_section(image, address);
	const struct symtab_entry *entry;
	uint64_t offset;

	if (!section || !elf_image_offset(&image->file, address, &offset))
		return false;
	entry = symtab_find(&image->tab, offset);
	if (!entry || offset - entry->start > address - section->address)
		return false;
	/* In data, the length of a label's object is not known. */
	if (entry->label && !section->code && offset != entry->start)
		return false;
	size_t until = names_until(image, entry->start);

	*symbol = (struct code_symbol){.name = entry->name,
		.offset = offset - entry->start,
		.size = entry->end - entry->start};
	if (until > 0 && image->names[until - 1].offset == entry->start)
		symbol->name = image->names[until - 1].name;
	return true;
}

uint64_t
code_image_next_symbol(const struct code_image *image, uint64_t address)
{
	uint64_t offset;
	size_t next;

	if (!elf_image_offset(&image->file, address, &offset))
		return UINT64_MAX;
	next = names_until(image, offset);
	if (next == image->nnames)
		return UINT64_MAX;
	return address + (image->names[next].offset - offset);
}

static void
read_relocations(struct code_image *image, Elf_Scn *scn, const GElf_Shdr *header, size_t *capacity)
{
	Elf_Scn *symbols_scn =
		header->sh_link ? elf_getscn(image->file.elf, header->sh_link) : NULL;
	Elf_Data *symbols = symbols_scn ? elf_getdata(symbols_scn, NULL) : NULL;
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Shdr symbols_header = {0};
	struct elf_names names = {0};
	GElf_Rela rela;
	GElf_Sym sym;

	if (symbols_scn && gelf_getshdr(symbols_scn, &symbols_header))
		names = elf_names_of(&image->file, symbols_header.sh_link);
	for (int i = 0; data && data->d_buf && gelf_getrela(data, i, &rela); i++) {
		const char *name = NULL;

		if (GELF_R_SYM(rela.r_info) != 0 && symbols && symbols->d_buf &&
			gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &sym))
			name = elf_names_at(&names, sym.st_name);
		image->slots =
			mem_grow(image->slots, capacity, image->nslots + 1, sizeof(*image->slots));
		image->slots[image->nslots++] = (struct code_slot){.address = rela.r_offset,
			.type = (uint32_t)GELF_R_TYPE(rela.r_info),
			.name = name,
			.addend = rela.r_addend};
	}
}

static void
read_slots(struct code_image *image)
{
	size_t capacity = 0;
	GElf_Shdr header;

	image->slots_read = true;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(image->file.elf, scn));)
		if (gelf_getshdr(scn, &header) && header.sh_type == SHT_RELA &&
			(header.sh_flags & SHF_ALLOC))
			read_relocations(image, scn, &header, &capacity);
	if (image->nslots > 0)
		qsort(image->slots, image->nslots, sizeof(*image->slots), sort_address_order);
}

const struct code_slot *
code_image_slot(struct code_image *image, uint64_t address)
{
	if (!image->slots_read)
		read_slots(image);
	size_t at = search_before(
		image->slots, image->nslots, SEARCH_BY(struct code_slot, address), address);

	if (at == image->nslots || image->slots[at].address != address)
		return NULL;
	return &image->slots[at];
}
