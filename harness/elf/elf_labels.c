#include "elf/elf_labels.h"

#include "base/search.h"
#include "elf/elf_symbols.h"

#include <string.h>

/* Adds what may be a hidden label in code to `labels`, up to the end of its section. */
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
	while (elf_symbols_next(&symbols, &sym))
		take_label(image, runtime, &sym, elf_symbols_name(&symbols, &sym), labels);
}

/* Where the first entry starts that starts behind `offset`. */
static uint64_t
next_start(const struct symtab *tab, uint64_t offset)
{
	size_t next = search_until(
		tab->entries, tab->count, SEARCH_BY(struct symtab_entry, start), offset);

	return next < tab->count ? tab->entries[next].start : UINT64_MAX;
}

void
elf_labels_add(const struct elf_image *image, const struct elf_image *runtime, struct symtab *tab)
{
	struct symtab labels;
	/* What is added is not sorted in: only those before are searched. */
	struct symtab settled = *tab;

	symtab_init(&labels);
	read_labels(image, runtime, &labels);
	symtab_settle(&labels, false);
	for (size_t i = 0; i < labels.count; i++) {
		const struct symtab_entry *label = &labels.entries[i];
		uint64_t end = next_start(&settled, label->start);

		if (symtab_find(&settled, label->start))
			continue;
		if (end > label->end)
			end = label->end;
		symtab_add(tab, label->start, end - label->start, label->binding,
			arena_strdup(&tab->arena, label->name), label->readable)
			->label = true;
		/* It may have moved. */
		settled.entries = tab->entries;
	}
	symtab_release(&labels);
}
