#include "builds/product_sources.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "builds/file_walk.h"
#include "elf/elf_image.h"
#include "elf/elf_symbols.h"

#include <ctype.h>
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Larger sources are data. */
#define SOURCE_BYTES_MAX ((size_t)4 * 1024 * 1024)
/* For a program that names more only these are looked for. */
#define NAMED_MAX 1000
#define FUNCTION_NAME_MIN 3

/* The state of one program. */
struct product {
	const struct elf_image *image;
	size_t named;   /* source files that it names */
	size_t present; /* those that a build has */
	bool defines;   /* a function that is in one of these */
};

static bool
is_source(const char *name)
{
	static const char *const endings[] = {
		".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".m", ".f", ".f90", ".d"};
	const char *ending = strrchr(name, '.');

	for (size_t i = 0; ending && i < sizeof(endings) / sizeof(endings[0]); i++) {
		if (strcmp(ending, endings[i]) == 0)
			return true;
	}
	return false;
}

static void
add_source(struct file_walk *walk, const char *path, void *context)
{
	struct product_sources *sources = context;

	(void)walk;
	if (!is_source(file_basename(path)))
		return;
	sources->paths = mem_grow(
		sources->paths, &sources->capacity, sources->count + 1, sizeof(*sources->paths));
	sources->paths[sources->count++] = arena_strdup(&sources->arena, path);
}

static void
find_sources(struct product_sources *sources, const struct tree_text *texts)
{
	if (sources->known)
		return;
	sources->known = true;
	file_walk(tree_text_here(texts), false, add_source, sources);
	file_walk(tree_text_there(texts), false, add_source, sources);
}

void
product_sources_release(struct product_sources *sources)
{
	free(sources->paths);
	arena_release(&sources->arena);
	*sources = (struct product_sources){0};
}

/* Each program has those of the C library and the compiler. */
static bool
is_of_the_compiler(const char *name)
{
	static const char *const names[] = {
		"crtstuff.c", "init.c", "abi-note.c", "static-reloc.c", "elf-init.c", "libgcc2.c"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

/*
 * The name of a function as its source has it: in C++ the last of the names that its own is
 * composed of ("_ZN3mix4workEv": "work"). False where it is not the program's own to choose.
 */
static bool
plain_name(const char *symbol, char *name, size_t size)
{
	static const char *const started[] = {
		"main", "frame_dummy", "register_tm_clones", "deregister_tm_clones"};
	const char *from = symbol;
	size_t len = strcspn(symbol, ".@");

	for (size_t i = 0; i < sizeof(started) / sizeof(started[0]); i++) {
		if (strcmp(symbol, started[i]) == 0)
			return false;
	}
	if (strncmp(symbol, "_Z", 2) == 0) {
		const char *at = symbol + 2 + strspn(symbol + 2, "NKVRO");

		for (len = 0; isdigit((unsigned char)*at); at = from + len) {
			char *end;
			const unsigned long bytes = strtoul(at, &end, 10);

			if (bytes == 0 || bytes > strlen(end))
				return false;
			from = end;
			len = bytes;
		}
	} else if (symbol[0] == '_')
		return false;
	if (len < FUNCTION_NAME_MIN || len >= size)
		return false;
	memcpy(name, from, len);
	name[len] = '\0';
	return true;
}

static bool
is_word_byte(char byte)
{
	return isalnum((unsigned char)byte) || byte == '_';
}

/* Whether a source has the name as a word that "(" follows. */
static bool
has_function(const char *text, const char *name)
{
	const size_t len = strlen(name);

	for (const char *at = text; (at = strstr(at, name)); at += len) {
		const char *behind = at + len;

		if ((at == text || !is_word_byte(at[-1])) && !is_word_byte(*behind) &&
			behind[strspn(behind, " \t\n")] == '(')
			return true;
	}
	return false;
}

static bool
defines_function_of(const struct elf_image *image, const char *path)
{
	struct elf_symbols symbols;
	struct buf text = {0};
	struct err ignored = {0};
	char name[256];
	GElf_Sym sym;
	bool found = false;

	if (file_read(path, &text, SOURCE_BYTES_MAX, &ignored) == 0) {
		elf_symbols_begin(&symbols, image, SHT_SYMTAB);
		while (!found && elf_symbols_next(&symbols, &sym)) {
			const char *symbol =
				ELF64_ST_TYPE(sym.st_info) == STT_FUNC && sym.st_shndx != SHN_UNDEF
					? elf_symbols_name(&symbols, &sym)
					: NULL;

			found = symbol && plain_name(symbol, name, sizeof(name)) &&
				has_function(buf_text(&text), name);
		}
	}
	buf_release(&text);
	return found;
}

static void
note_named_source(struct product *product, const struct product_sources *sources, const char *name)
{
	bool present = false;

	for (size_t i = 0; i < sources->count && !(present && product->defines); i++) {
		if (strcmp(file_basename(sources->paths[i]), name) != 0)
			continue;
		present = true;
		product->defines =
			product->defines || defines_function_of(product->image, sources->paths[i]);
	}
	product->named++;
	product->present += present;
}

bool
product_source_is(struct product_sources *sources, const struct tree_text *texts, const char *path)
{
	struct elf_image image;
	struct elf_symbols symbols;
	GElf_Sym sym;

	if (!texts || !elf_image_open(&image, path))
		return false;
	struct product product = {.image = &image};

	elf_symbols_begin(&symbols, &image, SHT_SYMTAB);
	while (product.named < NAMED_MAX && elf_symbols_next(&symbols, &sym)) {
		const char *name = ELF64_ST_TYPE(sym.st_info) == STT_FILE
					   ? elf_symbols_name(&symbols, &sym)
					   : NULL;

		if (!name || !is_source(name) || is_of_the_compiler(file_basename(name)))
			continue;
		find_sources(sources, texts);
		note_named_source(&product, sources, file_basename(name));
	}
	elf_image_close(&image);
	return product.defines && 2 * product.present >= product.named;
}
