/* Tens of thousands of symbols lie in a few dozen sections: what these say is asked once each. */
#include "elf/elf_symbols.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* What counts in a section. */
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

static void
begin_places(struct symbol_places *places, const struct elf_image *image,
	const struct elf_image *runtime)
{
	*places = (struct symbol_places){.image = image, .runtime = runtime};
	if (elf_getshdrnum(image->elf, &places->nsections) < 0)
		places->nsections = 0;
	places->sections = mem_zalloc(places->nsections, 1);
}

static void
end_places(struct symbol_places *places)
{
	free(places->sections);
}

static enum section_use
ask_section(const struct elf_image *image, size_t number)
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
		places->sections[number] = (unsigned char)ask_section(places->image, number);
	return places->sections[number];
}

/* Whether the symbol names code or data: not a file, a section or something from elsewhere. */
static bool
is_wanted(const GElf_Sym *sym, const char *name, bool *is_label)
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

	if (!is_wanted(sym, name, &is_label))
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
	struct symbol_places places;
	GElf_Sym sym;
	size_t added = 0;

	elf_symbols_begin(&symbols, image, type);
	Elf_Scn *section = symbols.data ? elf_getscn(image->elf, symbols.names) : NULL;
	Elf_Data *names = section ? elf_getdata(section, NULL) : NULL;

	if (!names || !names->d_buf)
		return 0;
	/* The file may change under us later: names are kept in a copy, whose end is terminated. */
	const char *text = arena_dup(&tab->arena, names->d_buf, names->d_size);

	begin_places(&places, image, runtime);
	symtab_reserve(
		tab, symbols.data->d_size / gelf_fsize(image->elf, ELF_T_SYM, 1, EV_CURRENT));
	while (elf_symbols_next(&symbols, &sym)) {
		const char *name = sym.st_name < names->d_size ? text + sym.st_name : NULL;

		added += add_symbol(&places, &sym, name, tab);
	}
	end_places(&places);
	return added;
}
