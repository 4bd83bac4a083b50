/*
 * The names in the files of a kernel that is not running: vmlinux and its modules.
 */
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "elf/debug_file.h"
#include "elf/elf_image.h"
#include "elf/elf_packed.h"
#include "elf/elf_symbols.h"
#include "symbols/symbols_internal.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line of some 200 bytes for each of several thousand modules. */
#define MODULES_DEP_BYTES_MAX (64u << 20)

/* Whether the text can be a part of a path: it comes from the capture. */
static bool
is_safe_release(const char *release)
{
	return release[0] != '\0' && release[0] != '.' && !strchr(release, '/');
}

static bool
open_vmlinux(const struct kernel_build *build, struct elf_image *image)
{
	static const char *const places[][2] = {
		{"/usr/lib/debug/boot/vmlinux-", ""},
		{"/usr/lib/debug/lib/modules/", "/vmlinux"},
		{"/boot/vmlinux-", ""},
		{"/lib/modules/", "/build/vmlinux"},
		{"/lib/modules/", "/vmlinux"},
	};
	bool opened = false;

	if (build->build_id.len == 0)
		return false;
	for (size_t i = 0; is_safe_release(build->release) && !opened &&
			   i < sizeof(places) / sizeof(places[0]);
		i++) {
		char *path = mem_printf(
			"%s%s%s%s", build->root, places[i][0], build->release, places[i][1]);

		opened = elf_packed_open(image, path);
		if (opened && !build_id_equal(&image->build_id, &build->build_id)) {
			elf_image_close(image);
			opened = false;
		}
		free(path);
	}
	return opened || debug_file_open_by_id(image, build->root, &build->build_id);
}

bool
kernel_file_vmlinux(const struct kernel_build *build, struct symtab *tab, uint64_t *text)
{
	struct elf_image image;
	size_t kept = 0;

	*text = 0;
	if (!open_vmlinux(build, &image))
		return false;
	elf_image_symbols(&image, &image, SHT_SYMTAB, tab);
	/* By offsets in the file so far. */
	for (size_t i = 0; i < tab->count; i++) {
		struct symtab_entry entry = tab->entries[i];
		uint64_t size = entry.end - entry.start;

		if (!elf_image_address(&image, entry.start, &entry.start))
			continue;
		entry.end = entry.start + size;
		entry.readable = true;
		if (strcmp(entry.name, "_text") == 0)
			*text = entry.start;
		tab->entries[kept++] = entry;
	}
	tab->count = kept;
	elf_image_close(&image);
	symtab_finish(tab, true);
	return *text != 0;
}

bool
kernel_file_module_name(const char *path, char *name, size_t size)
{
	const char *base = path[0] == '[' ? path + 1 : file_basename(path);
	const char *end = path[0] == '[' ? strchr(base, ']') : strstr(base, ".ko");
	size_t len = end ? (size_t)(end - base) : 0;

	if (len == 0 || len + 3 > size || strncmp(base, "kernel.", 7) == 0)
		return false;
	snprintf(name, size, "[%.*s]", (int)len, base);
	for (char *at = name; *at; at++)
		if (*at == '-')
			*at = '_';
	return true;
}

/* The path of a module by the list that depmod wrote; NULL if it is not there. free() it. */
static char *
find_module(const struct kernel_build *build, const char *wanted)
{
	char *list = mem_printf("%s/lib/modules/%s/modules.dep", build->root, build->release);
	struct err ignored = {0};
	struct buf text = {0};
	char *found = NULL;

	if (file_read(list, &text, MODULES_DEP_BYTES_MAX, &ignored) == 0) {
		for (char *line = text.data; line && *line && !found;) {
			char *line_end = strchrnul(line, '\n');
			char *next = *line_end ? line_end + 1 : line_end;
			char *colon = memchr(line, ':', (size_t)(line_end - line));
			char name[128];

			if (colon) {
				*colon = '\0';
				if (kernel_file_module_name(line, name, sizeof(name)) &&
					strcmp(name, wanted) == 0)
					found = line[0] == '/'
							? mem_printf("%s%s", build->root, line)
							: mem_printf("%s/lib/modules/%s/%s",
								  build->root, build->release,
								  line);
			}
			line = next;
		}
	}
	buf_release(&text);
	free(list);
	return found;
}

/*
 * The section of a module's code that the kernel puts first, at the address that it reports; NULL
 * where that is another one than .text. Source: kernel/module/main.c, "layout_sections".
 */
static Elf_Scn *
first_code(const struct elf_image *image)
{
	GElf_Shdr header;
	Elf_Scn *text = elf_image_section(image, ".text", SHT_NULL, &header);
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(image->elf, section))) {
		const uint64_t code = SHF_ALLOC | SHF_EXECINSTR;

		if (!gelf_getshdr(section, &header) || (header.sh_flags & code) != code ||
			header.sh_size == 0)
			continue;
		const char *name = elf_image_section_name(image, &header);

		if (strncmp(name, ".init", 5) != 0 && strncmp(name, ".exit", 5) != 0)
			return section == text ? text : NULL;
	}
	return NULL;
}

static void
add_kernel_functions(const struct elf_image *image, Elf_Scn *text, struct symtab *tab)
{
	struct elf_symbols symbols;
	GElf_Sym sym;

	elf_symbols_begin(&symbols, image, SHT_SYMTAB);
	while (elf_symbols_next(&symbols, &sym)) {
		const char *name = elf_symbols_name(&symbols, &sym);

		if (sym.st_shndx == elf_ndxscn(text) && GELF_ST_TYPE(sym.st_info) == STT_FUNC &&
			name)
			symtab_add(tab, sym.st_value, sym.st_size, elf_symbol_binding(&sym),
				arena_strdup(&tab->arena, name), true);
	}
}

bool
kernel_file_module(const struct kernel_build *build, const char *name,
	const struct build_id *build_id, struct symtab *tab)
{
	struct elf_image image;
	char *path = NULL;

	if (name[0] == '/')
		path = mem_printf("%s%s", build->root, name);
	else if (is_safe_release(build->release))
		path = find_module(build, name);

	bool opened = path && elf_packed_open(&image, path);

	free(path);
	if (!opened)
		return false;

	Elf_Scn *text = build_id_equal(&image.build_id, build_id) ? first_code(&image) : NULL;

	if (text)
		add_kernel_functions(&image, text, tab);
	elf_image_close(&image);
	symtab_finish(tab, false);
	return tab->count > 0;
}
