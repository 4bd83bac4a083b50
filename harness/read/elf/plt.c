#include "elf/plt.h"

#include "elf/demangle.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of one stub where neither the section nor the code says. */
#define ENTRY_BYTES 16

/* AArch64: of the first stub, and of those that have more than four instructions. */
#define FIRST_BYTES_AARCH64 32
#define LONG_ENTRY_BYTES_AARCH64 24
/* bti c; stp x16, x30, [sp, #-16]!; br x17 */
#define BTI_C UINT32_C(0xd503245f)
#define PUSH_AARCH64 UINT32_C(0xa9bf7bf0)
#define JUMP_AARCH64 UINT32_C(0xd61f0220)

static struct plt_shape
shape_aarch64(const struct elf_image *image, const GElf_Shdr *stubs)
{
	struct plt_shape shape = {.entry_bytes = ENTRY_BYTES};
	uint32_t words[(FIRST_BYTES_AARCH64 + ENTRY_BYTES) / sizeof(uint32_t)] = {0};
	size_t len = stubs->sh_size < sizeof(words) ? (size_t)stubs->sh_size : sizeof(words);
	const uint32_t *entry = words;

	if (elf_image_code(image, stubs->sh_offset + len, (unsigned char *)words, len) != len)
		return shape;
	size_t push = words[0] == BTI_C;

	if (words[push] == PUSH_AARCH64) {
		shape.push_bytes = (push + 1) * sizeof(words[0]);
		shape.first_bytes = FIRST_BYTES_AARCH64;
		entry += FIRST_BYTES_AARCH64 / sizeof(words[0]);
	}
	/* With a mark ahead, or a signature checked behind, the jump is not the fourth one. */
	if (entry[3] != 0 && entry[3] != JUMP_AARCH64)
		shape.entry_bytes = LONG_ENTRY_BYTES_AARCH64;
	return shape;
}

struct plt_shape
plt_shape_of(const struct elf_image *image, const GElf_Shdr *stubs)
{
	struct plt_shape shape = {.entry_bytes = ENTRY_BYTES};
	GElf_Ehdr header;

	if (gelf_getehdr(image->elf, &header) && header.e_machine == EM_AARCH64)
		return shape_aarch64(image, stubs);
	if (stubs->sh_entsize > 1 && stubs->sh_entsize <= stubs->sh_size)
		shape.entry_bytes = stubs->sh_entsize;
	/* With indirect branch tracking the called stubs are in .plt.sec, without a first one. */
	if (strcmp(elf_image_section_name(image, stubs), ".plt") == 0)
		shape.first_bytes = shape.entry_bytes;
	return shape;
}

/* The name of the symbol that relocation `i` of a stub table is about. */
static const char *
relocation_name(Elf_Data *relocations, bool has_addend, size_t i, Elf_Data *symbols,
	struct elf_names *names)
{
	GElf_Rela rela;
	GElf_Rel rel;
	GElf_Sym sym;
	uint64_t info;

	if (has_addend) {
		if (!gelf_getrela(relocations, (int)i, &rela))
			return NULL;
		info = rela.r_info;
	} else {
		if (!gelf_getrel(relocations, (int)i, &rel))
			return NULL;
		info = rel.r_info;
	}
	if (!gelf_getsym(symbols, (int)GELF_R_SYM(info), &sym))
		return NULL;
	return elf_names_at(names, sym.st_name);
}

static void
add_stub(struct symtab *tab, uint64_t offset, uint64_t size, const char *name)
{
	char *readable = demangle_within(name, &tab->names);
	const char *shown = readable ? readable : name;

	if (allowance_take(&tab->names, strlen(shown)))
		symtab_add(tab, offset, size, BINDING_GLOBAL,
			arena_printf(&tab->arena, "%s@plt", shown), true);
	free(readable);
}

void
plt_symbols(const struct elf_image *image, struct symtab *tab)
{
	GElf_Shdr stubs;
	GElf_Shdr relocs_header;
	GElf_Shdr symbols_header;
	bool has_addend = true;
	Elf_Scn *relocs = elf_image_section(image, ".rela.plt", SHT_NULL, &relocs_header);

	if (!relocs) {
		has_addend = false;
		relocs = elf_image_section(image, ".rel.plt", SHT_NULL, &relocs_header);
	}
	if (!elf_image_section(image, ".plt.sec", SHT_NULL, &stubs) &&
		!elf_image_section(image, ".plt", SHT_NULL, &stubs))
		return;
	Elf_Scn *symbols_section = relocs ? elf_getscn(image->elf, relocs_header.sh_link) : NULL;

	if (!symbols_section || !gelf_getshdr(symbols_section, &symbols_header) ||
		relocs_header.sh_entsize == 0)
		return;
	Elf_Data *relocations = elf_getdata(relocs, NULL);
	Elf_Data *symbols = elf_getdata(symbols_section, NULL);
	struct elf_names names = elf_names_of(image, symbols_header.sh_link);
	struct plt_shape shape = plt_shape_of(image, &stubs);

	symtab_allow_names(tab, names.len);
	/* Debug files keep the headers of sections whose bytes they left out, of whatever size. */
	if (!relocations || !relocations->d_buf || !symbols || !symbols->d_buf)
		return;
	for (size_t i = 0; i < relocations->d_size / relocs_header.sh_entsize; i++) {
		const char *name = relocation_name(relocations, has_addend, i, symbols, &names);
		uint64_t at = shape.first_bytes + i * shape.entry_bytes;

		if (at > stubs.sh_size || stubs.sh_size - at < shape.entry_bytes)
			break;
		if (name && *name)
			add_stub(tab, stubs.sh_offset + at, shape.entry_bytes, name);
	}
}
