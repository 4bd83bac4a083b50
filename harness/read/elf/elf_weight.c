#include "elf/elf_weight.h"

#include "base/mem.h"
#include "elf/elf_symbols.h"
#include "elf/go_table.h"

#include <stdlib.h>
#include <string.h>

/* Sums of bytes are exact as doubles. */
#define BYTES_MOST ((uint64_t)1 << 52)

/*
 * A section has its own range of places, since addresses are no places: those of thread-local data
 * are offsets, and in an object file every section begins at 0.
 */
struct place {
	GElf_Shdr header;
	uint64_t start;
};

struct weighing {
	const struct elf_image *image;
	const struct elf_image *symbols;
	struct place *places; /* by number of the section; 0 is none */
	size_t nplaces;
	uint64_t thread_address; /* of the segment of thread-local data */
	uint64_t in_sections;
	struct symtab tab;
};

static bool
takes_room(const GElf_Shdr *header)
{
	return header->sh_type != SHT_NOBITS && header->sh_type != SHT_NULL;
}

static int
add_place(struct weighing *weighing, const GElf_Shdr *header, uint64_t *end, uint64_t file_bytes,
	const char *path, struct err *err)
{
	const char *name = elf_image_section_name(weighing->image, header);

	if (takes_room(header) && (header->sh_offset > file_bytes ||
					  header->sh_size > file_bytes - header->sh_offset))
		return err_set(
			err, ERR_INPUT, "%s: section '%s' is outside of the file", path, name);
	if (header->sh_size > BYTES_MOST - *end)
		return err_set(err, ERR_INPUT, "%s: section '%s' has %llu bytes", path, name,
			(unsigned long long)header->sh_size);
	weighing->places[weighing->nplaces++] = (struct place){.header = *header, .start = *end};
	if (takes_room(header))
		weighing->in_sections += header->sh_size;
	/* A symbol at the end of a section is not in the next one. */
	*end += header->sh_size + 1;
	return 0;
}

static int
find_places(struct weighing *weighing, uint64_t file_bytes, const char *path, struct err *err)
{
	Elf *elf = weighing->image->elf;
	size_t count = 0;
	uint64_t end = 0;

	if (elf_getshdrnum(elf, &count) < 0 || count < 2)
		return err_set(err, ERR_INPUT, "%s: has no table of sections", path);
	weighing->places = mem_zalloc(count, sizeof(*weighing->places));
	weighing->nplaces = 1;
	for (size_t i = 1; i < count; i++) {
		GElf_Shdr header;
		Elf_Scn *section = elf_getscn(elf, i);

		if (!section || !gelf_getshdr(section, &header))
			return err_set(
				err, ERR_INPUT, "%s: its table of sections is damaged", path);
		if (add_place(weighing, &header, &end, file_bytes, path, err) < 0)
			return -1;
	}
	return 0;
}

static void
find_thread_address(struct weighing *weighing)
{
	GElf_Phdr header;

	for (size_t i = 0; i < weighing->image->nheaders; i++)
		if (gelf_getphdr(weighing->image->elf, (int)i, &header) && header.p_type == PT_TLS)
			weighing->thread_address = header.p_vaddr;
}

/* A debug file has the sections of its program, with the same numbers and addresses. */
static const struct place *
find_place(const struct weighing *weighing, size_t section)
{
	GElf_Shdr header;
	Elf_Scn *scn = elf_getscn(weighing->symbols->elf, section);

	if (section == 0 || section >= weighing->nplaces || !scn || !gelf_getshdr(scn, &header))
		return NULL;
	const struct place *place = &weighing->places[section];

	return header.sh_addr == place->header.sh_addr && header.sh_size == place->header.sh_size
		       ? place
		       : NULL;
}

static bool
has_bytes(const GElf_Sym *sym)
{
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_OBJECT:
	case STT_TLS:
	case STT_NOTYPE:
		return sym->st_size > 0;
	default:
		return false;
	}
}

static void
add_symbol(struct weighing *weighing, const GElf_Sym *sym, const char *name)
{
	const struct place *place =
		name && has_bytes(sym) ? find_place(weighing, sym->st_shndx) : NULL;

	if (!place || !(place->header.sh_flags & SHF_ALLOC))
		return;
	const bool in_program = place->header.sh_addr > 0;
	const uint64_t base = !in_program ? 0
			      : GELF_ST_TYPE(sym->st_info) == STT_TLS
				      ? place->header.sh_addr - weighing->thread_address
				      : place->header.sh_addr;
	const uint64_t at = sym->st_value - base;

	if (sym->st_value < base || at >= place->header.sh_size)
		return;
	const uint64_t room = place->header.sh_size - at;

	symtab_add(&weighing->tab, place->start + at, sym->st_size < room ? sym->st_size : room,
		elf_symbol_binding(sym), name, false);
}

/* The names stay in the file. */
static size_t
read_symbols(struct weighing *weighing, uint32_t type)
{
	struct elf_symbols symbols;
	GElf_Sym sym;

	elf_symbols_begin(&symbols, weighing->symbols, type);
	symtab_allow_names(&weighing->tab, symbols.names.len);
	while (elf_symbols_next(&symbols, &sym))
		add_symbol(weighing, &sym, elf_symbols_name(&symbols, &sym));
	return weighing->tab.count;
}

static const struct place *
place_of_address(const struct weighing *weighing, uint64_t address)
{
	for (size_t i = 1; i < weighing->nplaces; i++) {
		const GElf_Shdr *header = &weighing->places[i].header;

		if ((header->sh_flags & SHF_EXECINSTR) && address >= header->sh_addr &&
			address - header->sh_addr < header->sh_size)
			return &weighing->places[i];
	}
	return NULL;
}

/* Programs of Go that were linked without symbols have functions still. */
static size_t
read_go_functions(struct weighing *weighing)
{
	struct go_table table;
	struct go_function function;

	if (!go_table_open(&table, weighing->image))
		return 0;
	for (uint64_t i = 0; i < table.nfunctions; i++) {
		if (!go_table_function(&table, i, &function) || function.end <= function.start)
			continue;
		const struct place *place = place_of_address(weighing, function.start);

		if (place && function.end - place->header.sh_addr <= place->header.sh_size)
			symtab_add(&weighing->tab,
				place->start + (function.start - place->header.sh_addr),
				function.end - function.start, BINDING_LOCAL, function.name, true);
	}
	return weighing->tab.count;
}

static void
weigh_piece(struct weighing *weighing, const struct place *place, uint64_t begin, uint64_t end,
	uint32_t entry, elf_weight_take *take, void *context)
{
	struct symtab_entry *symbol = entry > 0 ? &weighing->tab.entries[entry - 1] : NULL;
	const bool inside = symbol && symbol->start >= place->start;
	const struct elf_weight weight = {
		.section = elf_image_section_name(weighing->image, &place->header),
		.loaded = (place->header.sh_flags & SHF_ALLOC) != 0,
		.code = (place->header.sh_flags & SHF_EXECINSTR) != 0,
		.symbol = inside ? symtab_name(&weighing->tab, symbol) : NULL,
		.bytes = end - begin,
	};

	if (end > begin)
		take(context, &weight);
}

/* Sections and pieces both are in the order of their places. */
static void
weigh(struct weighing *weighing, elf_weight_take *take, void *context)
{
	const struct symtab *tab = &weighing->tab;
	size_t next = 0; /* the first piece that begins behind `at` */

	for (size_t i = 1; i < weighing->nplaces; i++) {
		const struct place *place = &weighing->places[i];
		const uint64_t end = place->start + place->header.sh_size;

		for (uint64_t at = place->start; at < end;) {
			while (next < tab->npieces && tab->pieces[next].start <= at)
				next++;
			const uint64_t until = next < tab->npieces && tab->pieces[next].start < end
						       ? tab->pieces[next].start
						       : end;

			weigh_piece(weighing, place, at, until,
				next > 0 ? tab->pieces[next - 1].entry : 0, take, context);
			at = until;
		}
	}
}

int
elf_weights(const struct elf_weighed *file, elf_weight_take *take, void *context,
	uint64_t *in_sections, struct err *err)
{
	struct weighing weighing = {.image = file->image, .symbols = file->symbols};
	const int result = find_places(&weighing, file->file_bytes, file->path, err);

	if (result == 0) {
		find_thread_address(&weighing);
		if (read_symbols(&weighing, SHT_SYMTAB) == 0 && read_go_functions(&weighing) == 0)
			read_symbols(&weighing, SHT_DYNSYM);
		symtab_finish(&weighing.tab, false);
		weigh(&weighing, take, context);
		*in_sections = weighing.in_sections;
	}
	symtab_release(&weighing.tab);
	free(weighing.places);
	return result;
}
