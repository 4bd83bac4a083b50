#include "elf/probe_sites.h"

#include "base/mem.h"
#include "elf/debug_file.h"
#include "elf/demangle.h"
#include "elf/elf_image.h"
#include "elf/elf_symbols.h"

#include <stdlib.h>
#include <string.h>

/* The notes of USDT probes: their section, name and type. */
#define USDT_SECTION ".note.stapsdt"
#define USDT_BASE_SECTION ".stapsdt.base"
#define USDT_OWNER "stapsdt"
#define USDT_TYPE 3
/* Names that an error lists. */
#define LISTED_MAX 4

void
probe_sites_release(struct probe_sites *sites)
{
	free(sites->all);
	arena_release(&sites->arena);
	*sites = (struct probe_sites){0};
}

static void
add_site(struct probe_sites *sites, uint64_t offset, uint64_t semaphore, const char *name)
{
	for (size_t i = 0; i < sites->count; i++)
		if (sites->all[i].offset == offset)
			return;
	sites->all = mem_grow(sites->all, &sites->capacity, sites->count + 1, sizeof(*sites->all));
	sites->all[sites->count++] =
		(struct probe_site){offset, semaphore, arena_strdup(&sites->arena, name)};
}

/* Takes a function of a walk; false ends it. */
typedef bool (*take_function)(void *context, const char *name, uint64_t offset);

static bool
walk_table(const struct elf_image *symbols, const struct elf_image *image, uint32_t type,
	take_function take, void *context)
{
	struct elf_symbols table;
	GElf_Sym sym;

	elf_symbols_begin(&table, symbols, type);
	while (elf_symbols_next(&table, &sym)) {
		const char *name = elf_symbols_name(&table, &sym);
		uint64_t offset;

		if (name && GELF_ST_TYPE(sym.st_info) == STT_FUNC && sym.st_shndx != SHN_UNDEF &&
			elf_image_offset(image, sym.st_value, &offset) &&
			!take(context, name, offset))
			return false;
	}
	return true;
}

/* .symtab, that of the debug file where it has none, and exported functions. */
static void
walk_functions(const struct elf_image *image, const char *path, take_function take, void *context)
{
	struct elf_image debug;
	GElf_Shdr header;
	bool more = true;

	if (elf_image_section(image, NULL, SHT_SYMTAB, &header)) {
		more = walk_table(image, image, SHT_SYMTAB, take, context);
	} else if (debug_file_open(&debug, image, "", path)) {
		more = walk_table(&debug, image, SHT_SYMTAB, take, context);
		elf_image_close(&debug);
	}
	if (more)
		walk_table(image, image, SHT_DYNSYM, take, context);
}

bool
probe_sites_are_exported_only(const struct elf_image *image, const char *path)
{
	struct elf_image debug;
	GElf_Shdr header;

	if (elf_image_section(image, NULL, SHT_SYMTAB, &header))
		return false;
	if (!debug_file_open(&debug, image, "", path))
		return true;
	elf_image_close(&debug);
	return false;
}

/* A piece that a compiler split off: nobody calls it from outside. */
static bool
is_piece(const char *name)
{
	return strstr(name, ".cold") || strstr(name, ".part.");
}

/* Whether it is the name of a function as the file has it, or as people write it. */
static bool
is_named(const char *symbol, const char *name)
{
	if (strcmp(symbol, name) == 0)
		return true;
	if (symbol[0] != '_' || is_piece(symbol))
		return false;
	char *readable = demangle(symbol);
	const bool same = readable && strcmp(readable, name) == 0;

	free(readable);
	return same;
}

struct search {
	struct probe_sites *sites;
	const char *name;
};

static bool
take_named(void *context, const char *name, uint64_t offset)
{
	const struct search *search = context;

	if (is_named(name, search->name))
		add_site(search->sites, offset, 0, name);
	return true;
}

void
probe_sites_add_function(struct probe_sites *sites, const struct elf_image *image, const char *path,
	const char *name)
{
	struct search search = {sites, name};

	walk_functions(image, path, take_named, &search);
}

struct listing {
	struct buf *out;
	const char *name;
	size_t count;
};

/* Lists "NAME", or "PROVIDER:NAME". False once there are enough. */
static bool
list_name(struct listing *listing, const char *provider, const char *name)
{
	buf_puts(listing->out, listing->count > 0 ? ", " : "");
	buf_printf(listing->out, "%s%s%s", provider, *provider ? ":" : "", name);
	return ++listing->count < LISTED_MAX;
}

static bool
take_similar(void *context, const char *name, uint64_t offset)
{
	struct listing *listing = context;
	const size_t wanted = strlen(listing->name);
	const size_t len = strlen(name);

	(void)offset;
	if (len <= wanted || is_piece(name) ||
		(memcmp(name, listing->name, wanted) != 0 &&
			memcmp(name + len - wanted, listing->name, wanted) != 0))
		return true;
	return list_name(listing, "", name);
}

void
probe_sites_put_similar(
	const struct elf_image *image, const char *path, const char *name, struct buf *out)
{
	struct listing listing = {.out = out, .name = name};

	walk_functions(image, path, take_similar, &listing);
}

/* A USDT probe at one place. */
struct usdt {
	uint64_t address;
	uint64_t base; /* of USDT_BASE_SECTION, when it was linked */
	uint64_t semaphore;
	const char *provider;
	const char *name;
};

static bool
read_usdt(const char *bytes, size_t len, struct usdt *usdt)
{
	uint64_t addresses[3];
	const char *end = bytes + len;

	if (len < sizeof(addresses) + 2 || end[-1] != '\0')
		return false;
	memcpy(addresses, bytes, sizeof(addresses));
	usdt->address = addresses[0];
	usdt->base = addresses[1];
	usdt->semaphore = addresses[2];
	usdt->provider = bytes + sizeof(addresses);
	usdt->name = usdt->provider + strlen(usdt->provider) + 1;
	return usdt->name < end;
}

/* The next one from *at on; false behind the last. */
static bool
next_usdt(Elf_Data *notes, size_t *at, struct usdt *usdt)
{
	GElf_Nhdr note;
	size_t name_at;
	size_t desc_at;

	while (notes && (*at = gelf_getnote(notes, *at, &note, &name_at, &desc_at)) > 0) {
		const char *bytes = notes->d_buf;

		if (note.n_type == USDT_TYPE && note.n_namesz == sizeof(USDT_OWNER) &&
			memcmp(bytes + name_at, USDT_OWNER, sizeof(USDT_OWNER)) == 0 &&
			read_usdt(bytes + desc_at, note.n_descsz, usdt))
			return true;
	}
	return false;
}

/* NULL where there are none that can be read. */
static Elf_Data *
usdt_notes(const struct elf_image *image)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_image_section(image, USDT_SECTION, SHT_NULL, &header);

	if (!section || gelf_getclass(image->elf) != ELFCLASS64)
		return NULL;
	return elf_getdata(section, NULL);
}

/* How much higher a prelinked program lies than its notes say. */
static uint64_t
moved_by(const struct elf_image *image, const struct usdt *usdt)
{
	GElf_Shdr header;

	if (!elf_image_section(image, USDT_BASE_SECTION, SHT_NULL, &header) || usdt->base == 0)
		return 0;
	return header.sh_addr - usdt->base;
}

void
probe_sites_add_usdt(struct probe_sites *sites, const struct elf_image *image, const char *provider,
	const char *name)
{
	Elf_Data *notes = usdt_notes(image);
	struct usdt usdt;

	for (size_t at = 0; next_usdt(notes, &at, &usdt);) {
		const uint64_t moved = moved_by(image, &usdt);
		uint64_t semaphore = 0;
		uint64_t offset;

		if (strcmp(usdt.provider, provider) != 0 || strcmp(usdt.name, name) != 0 ||
			!elf_image_offset(image, usdt.address + moved, &offset) ||
			(usdt.semaphore != 0 &&
				!elf_image_offset(image, usdt.semaphore + moved, &semaphore)))
			continue;
		add_site(sites, offset, semaphore, usdt.name);
	}
}

void
probe_sites_put_usdt(const struct elf_image *image, const char *provider, struct buf *out)
{
	Elf_Data *notes = usdt_notes(image);
	struct listing listing = {.out = out};
	const char *last = "";
	struct usdt usdt;

	for (size_t at = 0; next_usdt(notes, &at, &usdt); last = usdt.name)
		if ((!provider || strcmp(usdt.provider, provider) == 0) &&
			strcmp(usdt.name, last) != 0 &&
			!list_name(&listing, usdt.provider, usdt.name))
			return;
}
