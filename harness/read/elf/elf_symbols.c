#include "elf/elf_symbols.h"

#include "base/mem.h"
#include "base/search.h"
#include "elf/elf_image.h"

#include <stdlib.h>
#include <string.h>

void
elf_symbols_begin(struct elf_symbols *symbols, const struct elf_image *image, uint32_t type)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_image_section(image, NULL, type, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;

	*symbols = (struct elf_symbols){.image = image};
	/* Debug files keep the headers of sections whose bytes they left out. */
	if (!data || !data->d_buf || header.sh_entsize == 0)
		return;
	symbols->data = data;
	symbols->wide = gelf_getclass(image->elf) == ELFCLASS64;
	symbols->count = header.sh_size / header.sh_entsize;
	symbols->names = elf_names_of(image, header.sh_link);
}

bool
elf_symbols_next(struct elf_symbols *symbols, GElf_Sym *sym)
{
	if (symbols->next >= symbols->count)
		return false;
	size_t at = symbols->next++ * sizeof(*sym);

	/* gelf_getsym() locks for each symbol: it is used for 32-bit files only. */
	if (!symbols->wide)
		return gelf_getsym(symbols->data, (int)(symbols->next - 1), sym) != NULL;
	if (at > symbols->data->d_size || symbols->data->d_size - at < sizeof(*sym))
		return false;
	memcpy(sym, (const char *)symbols->data->d_buf + at, sizeof(*sym));
	return true;
}

const char *
elf_symbols_name(struct elf_symbols *symbols, const GElf_Sym *sym)
{
	const char *name = elf_names_at(&symbols->names, sym->st_name);

	return name && *name ? name : NULL;
}

enum symbol_binding
elf_symbol_binding(const GElf_Sym *sym)
{
	unsigned binding = GELF_ST_BIND(sym->st_info);

	return binding == STB_GLOBAL ? BINDING_GLOBAL
	       : binding == STB_WEAK ? BINDING_WEAK
				     : BINDING_LOCAL;
}

/*
 * The symbols of a section that are taken. Tens of thousands of symbols lie in a few dozen
 * sections: each section is looked up once.
 */
enum section_use {
	SECTION_UNASKED,
	SECTION_NOTHING, /* it is not loaded, or not there */
	SECTION_NAMES,   /* functions and data, but labels do not */
	SECTION_LABELS,  /* these as well: it is of code or data */
};

struct symbol_places {
	const struct elf_image *image;
	const struct elf_image *runtime; /* the file that is mapped */
	unsigned char *sections;         /* enum section_use, by number */
	size_t nsections;
};

static enum section_use
look_up_section(const struct elf_image *image, size_t number)
{
	Elf_Scn *section = elf_getscn(image->elf, number);
	GElf_Shdr header;

	if (!section || !gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC))
		return SECTION_NOTHING;
	const char *name = elf_image_section_name(image, &header);

	return strstr(name, "text") || strstr(name, "data") ? SECTION_LABELS : SECTION_NAMES;
}

static enum section_use
section_use(const struct symbol_places *places, size_t number)
{
	if (number >= places->nsections)
		return SECTION_NOTHING;
	if (places->sections[number] == SECTION_UNASKED)
		places->sections[number] = (unsigned char)look_up_section(places->image, number);
	return places->sections[number];
}

/* Whether the symbol names code or data: not a file, a section or something from elsewhere. */
static bool
is_code_or_data(const GElf_Sym *sym, const char *name, bool *is_label)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);
	unsigned visibility = GELF_ST_VISIBILITY(sym->st_other);

	*is_label = type == STT_NOTYPE;
	if (!name || !*name || sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS)
		return false;
	/* Where code and data start, for disassemblers. Source: "ELF for the Arm 64-bit
	 * Architecture", section "Mapping symbols". */
	if (*is_label && name[0] == '$' && name[1] && strchr("adtx", name[1]) &&
		(name[2] == '\0' || name[2] == '.'))
		return false;
	if (*is_label)
		return visibility != STV_HIDDEN && visibility != STV_INTERNAL;
	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT;
}

static bool
add_symbol(const struct symbol_places *places, const GElf_Sym *sym, const char *name,
	struct symtab *tab)
{
	bool is_label;
	uint64_t offset;

	if (!is_code_or_data(sym, name, &is_label))
		return false;
	enum section_use use = section_use(places, sym->st_shndx);

	if (use == SECTION_NOTHING || (is_label && use != SECTION_LABELS) ||
		!elf_image_offset(places->runtime, sym->st_value, &offset))
		return false;
	symtab_add(tab, offset, sym->st_size, elf_symbol_binding(sym), name, false)->label =
		is_label;
	return true;
}

size_t
elf_image_symbols(const struct elf_image *image, const struct elf_image *runtime, uint32_t type,
	struct symtab *tab)
{
	struct elf_symbols symbols;
	struct symbol_places places = {.image = image, .runtime = runtime};
	GElf_Sym sym;
	size_t added = 0;

	elf_symbols_begin(&symbols, image, type);
	if (!symbols.data || !symbols.names.bytes)
		return 0;
	/* The file may change under us later: names are kept in a copy. */
	symbols.names.bytes = arena_dup(&tab->arena, symbols.names.bytes, symbols.names.len);
	symtab_allow_names(tab, symbols.names.len);

	if (elf_getshdrnum(image->elf, &places.nsections) < 0)
		places.nsections = 0;
	places.sections = mem_zalloc(places.nsections, 1);
	symtab_reserve(
		tab, symbols.data->d_size / gelf_fsize(image->elf, ELF_T_SYM, 1, EV_CURRENT));
	while (elf_symbols_next(&symbols, &sym))
		added += add_symbol(&places, &sym, elf_symbols_name(&symbols, &sym), tab);
	free(places.sections);
	return added;
}

/* Adds the symbol to `labels`, up to the end of its section, if it is a hidden label in code. */
static void
take_label(const struct elf_image *image, const struct elf_image *runtime, const GElf_Sym *sym,
	const char *name, struct symtab *labels)
{
	unsigned visibility = GELF_ST_VISIBILITY(sym->st_other);
	GElf_Shdr header;
	uint64_t offset;

	if (GELF_ST_TYPE(sym->st_info) != STT_NOTYPE || sym->st_shndx == SHN_UNDEF ||
		(visibility != STV_HIDDEN && visibility != STV_INTERNAL) || !name)
		return;
	Elf_Scn *section = elf_getscn(image->elf, sym->st_shndx);

	if (!section || !gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR) ||
		sym->st_value < header.sh_addr ||
		sym->st_value - header.sh_addr >= header.sh_size ||
		!elf_image_offset(runtime, sym->st_value, &offset))
		return;
	symtab_add(labels, offset, header.sh_size - (sym->st_value - header.sh_addr),
		GELF_ST_BIND(sym->st_info) == STB_GLOBAL ? BINDING_GLOBAL : BINDING_LOCAL,
		arena_strdup(&labels->arena, name), false);
}

static void
read_labels(const struct elf_image *image, const struct elf_image *runtime, struct symtab *labels)
{
	struct elf_symbols symbols;
	GElf_Sym sym;

	elf_symbols_begin(&symbols, image, SHT_SYMTAB);
	symtab_allow_names(labels, symbols.names.len);
	while (elf_symbols_next(&symbols, &sym))
		take_label(image, runtime, &sym, elf_symbols_name(&symbols, &sym), labels);
}

/* The start of the first entry behind `offset`. */
static uint64_t
next_start(const struct symtab *tab, uint64_t offset)
{
	size_t next = search_until(
		tab->entries, tab->count, SEARCH_BY(struct symtab_entry, start), offset);

	return next < tab->count ? tab->entries[next].start : UINT64_MAX;
}

void
elf_image_labels(const struct elf_image *image, const struct elf_image *runtime, struct symtab *tab)
{
	struct symtab labels = {0};
	/* New symbols are not sorted in: only the earlier ones are searched. */
	struct symtab sorted = *tab;

	read_labels(image, runtime, &labels);
	symtab_finish(&labels, false);
	for (size_t i = 0; i < labels.count; i++) {
		const struct symtab_entry *label = &labels.entries[i];
		uint64_t end = next_start(&sorted, label->start);

		if (symtab_find(&sorted, label->start))
			continue;
		if (end > label->end)
			end = label->end;
		symtab_add(tab, label->start, end - label->start, label->binding,
			arena_strdup(&tab->arena, label->name), label->readable)
			->label = true;
		/* The array may have moved. */
		sorted.entries = tab->entries;
	}
	symtab_release(&labels);
}
