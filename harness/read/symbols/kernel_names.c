#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "elf/debug_file.h"
#include "elf/elf_image.h"
#include "symbols/kernel_space.h"

#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* Some 200,000 names of 40 bytes; many times that is no kernel. */
#define KALLSYMS_BYTES_MAX (256u << 20)
/* A line has 40 bytes or more on average: room for the table is made once. */
#define LINE_BYTES 40

void
kernel_names_release(struct kernel_names *kernel)
{
	symtab_release(&kernel->tab);
	buf_release(&kernel->lines);
}

/* Behind the digits; NULL where there are none. */
static char *
parse_address(char *at, const char *end, uint64_t *address)
{
	const char *start = at;

	for (*address = 0; at < end && isxdigit((unsigned char)*at) && at - start < 16; at++)
		*address = *address << 4 | (uint64_t)(*at <= '9' ? *at - '0' : (*at & 7) + 9);
	return at > start ? at : NULL;
}

/*
 * One line: "ffffffff81000000 T _text" or "... t ext4_map_blocks\t[ext4]". Names are terminated in
 * place: there are 200,000 of them, and a copy of each costs more than all else here.
 */
static void
parse_line(struct kernel_names *kernel, char *line, char *end)
{
	uint64_t address;
	char *at = parse_address(line, end, &address);

	if (!at || end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return;
	char type = (char)toupper((unsigned char)at[1]);
	char *name = at + 3;
	char *name_end = memchr(name, '\t', (size_t)(end - name));

	/* Code and data, as perf takes them; not absolute symbols, which are per-CPU offsets. */
	if (address == 0 || !strchr("TWDB", type))
		return;
	if (!name_end)
		name_end = end;
	if (name_end == name)
		return;

	enum symbol_binding binding = type == 'W'     ? BINDING_WEAK
				      : at[1] == type ? BINDING_GLOBAL
						      : BINDING_LOCAL;
	struct symtab_entry *entry = symtab_add(&kernel->tab, address, 0, binding, name, true);

	if (name_end + 1 < end && name_end[1] == '[')
		entry->module = name_end + 1;
	entry->data = type == 'D' || type == 'B';
	*name_end = '\0';
	*end = '\0';
	if (strcmp(entry->name, "_text") == 0)
		kernel->text = address;
}

/* Parses kernel->lines, which are cut up into names. */
static void
parse_lines(struct kernel_names *kernel)
{
	char *end = kernel->lines.data + kernel->lines.len;

	kernel->tab.entries = mem_grow(kernel->tab.entries, &kernel->tab.capacity,
		kernel->lines.len / LINE_BYTES + 1, sizeof(*kernel->tab.entries));
	for (char *line = kernel->lines.data; line < end;) {
		char *newline = memchr(line, '\n', (size_t)(end - line));
		char *line_end = newline ? newline : end;

		parse_line(kernel, line, line_end);
		line = line_end + 1;
	}
	symtab_finish(&kernel->tab, true);
	kernel->readable = kernel->tab.count > 0;
}

void
kernel_names_parse(struct kernel_names *kernel, const char *text, size_t len)
{
	buf_put(&kernel->lines, text, len);
	if (kernel->lines.len > 0)
		parse_lines(kernel);
}

/* /sys/kernel/notes is a run of ELF notes in the machine's own order. */
static void
parse_notes(struct kernel_names *kernel, const char *bytes, size_t len)
{
	Elf64_Nhdr note;
	size_t at = 0;

	while (at + sizeof(note) <= len) {
		memcpy(&note, bytes + at, sizeof(note));
		size_t name_at = at + sizeof(note);
		size_t desc_at = name_at + ((size_t)note.n_namesz + 3) / 4 * 4;
		size_t next = desc_at + ((size_t)note.n_descsz + 3) / 4 * 4;

		if (next > len)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
			memcmp(bytes + name_at, "GNU", 4) == 0 && note.n_descsz <= BUILD_ID_MAX) {
			kernel->build_id =
				build_id_of((const unsigned char *)bytes + desc_at, note.n_descsz);
			return;
		}
		at = next;
	}
}

void
kernel_names_identify(struct kernel_names *kernel)
{
	struct utsname machine;
	struct err err = {0};
	struct buf notes = {0};

	if (uname(&machine) == 0)
		snprintf(kernel->release, sizeof(kernel->release), "%s", machine.release);
	if (file_read("/sys/kernel/notes", &notes, KALLSYMS_BYTES_MAX, &err) == 0)
		parse_notes(kernel, notes.data, notes.len);
	buf_release(&notes);
}

void
kernel_names_load(struct kernel_names *kernel)
{
	struct err ignored = {0};

	if (kernel->loaded)
		return;
	kernel->loaded = true;
	if (file_read("/proc/kallsyms", &kernel->lines, KALLSYMS_BYTES_MAX, &ignored) == 0 &&
		kernel->lines.len > 0)
		parse_lines(kernel);
}

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
