#include "symbols/alias_names.h"

#include "base/allowance.h"
#include "base/arena.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "elf/debug_file.h"
#include "elf/demangle.h"
#include "elf/elf_image.h"
#include "elf/elf_symbols.h"

#include <stdlib.h>
#include <string.h>

/* Demangled names have some times the bytes of those in the file. */
#define NAMES_BYTES_MIN ((uint64_t)4 << 20)
#define NAMES_RATIO 16

struct alias {
	uint64_t address;
	const char *symbol; /* the arena's */
	str_id name;        /* folded */
};

struct alias_names {
	struct alias *aliases; /* by address; each has a neighbour of its address */
	size_t count;
	size_t capacity;
	struct strtab strings;
	struct arena arena;
	struct allowance demangled; /* bytes that may still be made of the symbols */
};

static void
add_symbols(struct alias_names *names, const struct elf_image *image, uint32_t type)
{
	struct elf_symbols symbols;
	GElf_Sym sym;

	elf_symbols_begin(&symbols, image, type);
	allowance_add(&names->demangled,
		allowance_of(NAMES_BYTES_MIN, symbols.names.len, NAMES_RATIO).left);
	while (elf_symbols_next(&symbols, &sym)) {
		const char *name = elf_symbols_name(&symbols, &sym);

		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_shndx == SHN_UNDEF ||
			sym.st_value == 0 || !name)
			continue;
		names->aliases = mem_grow(names->aliases, &names->capacity, names->count + 1,
			sizeof(*names->aliases));
		names->aliases[names->count++] = (struct alias){
			.address = sym.st_value, .symbol = arena_strdup(&names->arena, name)};
	}
}

static void
read_file(struct alias_names *names, const char *path)
{
	struct elf_image image;
	struct elf_image debug;

	if (!elf_image_open(&image, path))
		return;
	add_symbols(names, &image, SHT_DYNSYM);
	add_symbols(names, &image, SHT_SYMTAB);
	if (debug_file_open(&debug, &image, "", path)) {
		add_symbols(names, &debug, SHT_SYMTAB);
		elf_image_close(&debug);
	}
	elf_image_close(&image);
}

static int
by_address(const void *left, const void *right)
{
	const struct alias *a = left;
	const struct alias *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return strcmp(a->symbol, b->symbol);
}

/* How many from `first` on have its address. */
static size_t
count_group(const struct alias_names *names, size_t first)
{
	size_t n = 1;

	while (first + n < names->count &&
		names->aliases[first + n].address == names->aliases[first].address)
		n++;
	return n;
}

static str_id
fold_name(struct alias_names *names, const char *symbol, alias_fold *fold)
{
	char *demangled = demangle_within(symbol, &names->demangled);
	const char *name = demangled ? demangled : symbol;
	struct buf folded = {0};
	const str_id id = fold(name, strlen(name), &folded)
				  ? strtab_intern(&names->strings, folded.data, folded.len)
				  : strtab_intern_str(&names->strings, name);

	buf_release(&folded);
	free(demangled);
	return id;
}

/* Gives each of a group its name; returns whether there are two. */
static bool
name_group(struct alias_names *names, size_t first, size_t n, alias_fold *fold)
{
	bool differ = false;

	for (size_t i = first; i < first + n; i++) {
		struct alias *alias = &names->aliases[i];

		alias->name = fold_name(names, alias->symbol, fold);
		differ = differ || alias->name != names->aliases[first].name;
	}
	return differ;
}

/* Most functions have one name, which is not even demangled. */
static void
keep_groups(struct alias_names *names, alias_fold *fold)
{
	size_t kept = 0;

	if (names->count > 0)
		qsort(names->aliases, names->count, sizeof(*names->aliases), by_address);
	for (size_t i = 0, n; i < names->count; i += n) {
		struct alias *group = &names->aliases[i];

		n = count_group(names, i);
		if (strcmp(group[0].symbol, group[n - 1].symbol) == 0 ||
			!name_group(names, i, n, fold))
			continue;
		memmove(&names->aliases[kept], group, n * sizeof(*group));
		kept += n;
	}
	names->count = kept;
}

struct alias_names *
alias_names_read(const char *path, alias_fold *fold)
{
	struct alias_names *names = mem_zalloc(1, sizeof(*names));

	strtab_init(&names->strings);
	read_file(names, path);
	keep_groups(names, fold);
	return names;
}

void
alias_names_free(struct alias_names *names)
{
	if (!names)
		return;
	strtab_release(&names->strings);
	arena_release(&names->arena);
	free(names->aliases);
	free(names);
}

static size_t
add_once(const char *name, const char **others, size_t n, size_t most)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(others[i], name) == 0)
			return n;
	if (n < most)
		others[n++] = name;
	return n;
}

size_t
alias_names_of(const struct alias_names *names, const char *name, size_t len, const char **others,
	size_t n, size_t most)
{
	const str_id wanted = strtab_find(&names->strings, name, len);

	for (size_t first = 0, group; wanted != 0 && first < names->count; first += group) {
		bool has = false;

		group = count_group(names, first);
		for (size_t i = first; i < first + group; i++)
			has = has || names->aliases[i].name == wanted;
		for (size_t i = first; has && i < first + group; i++)
			if (names->aliases[i].name != wanted)
				n = add_once(strtab_str(&names->strings, names->aliases[i].name),
					others, n, most);
	}
	return n;
}
