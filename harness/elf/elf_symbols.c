#include "elf/elf_symbols.h"

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
	symbols->names = header.sh_link;
}

bool
elf_symbols_next(struct elf_symbols *symbols, GElf_Sym *sym)
{
	if (symbols->next >= symbols->count)
		return false;
	size_t at = symbols->next++ * sizeof(*sym);

	/* libelf locks for each symbol that it is asked for. */
	if (!symbols->wide)
		return gelf_getsym(symbols->data, (int)(symbols->next - 1), sym) != NULL;
	if (at > symbols->data->d_size || symbols->data->d_size - at < sizeof(*sym))
		return false;
	memcpy(sym, (const char *)symbols->data->d_buf + at, sizeof(*sym));
	return true;
}

const char *
elf_symbols_name(const struct elf_symbols *symbols, const GElf_Sym *sym)
{
	const char *name = elf_strptr(symbols->image->elf, symbols->names, sym->st_name);

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
