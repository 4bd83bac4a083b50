/*
 * The functions of the kernel and its modules, for symbolizer.c: the names of /proc/kallsyms,
 * those in the files of another build, and the choice between the two for a capture.
 */
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "elf/debug_file.h"
#include "elf/elf_image.h"
#include "symbols/symbols_internal.h"

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

/*
 * Reads /proc/kallsyms, which takes the kernel some 35 ms to write; `readable` says whether it has
 * addresses. Later calls do nothing.
 */
static void
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

#define KERNEL_TEXT_MAP "[kernel.kallsyms]_text"
#define MODULES_BYTES_MAX (16u << 20)
/* Many times what a kernel loads. */
#define MODULES_MAX 65536

void
kernel_space_init(
	struct kernel_space *space, struct kernel_names *today, struct module_table *notes)
{
	*space = (struct kernel_space){.today = today, .notes = notes, .build.root = notes->root};
}

void
kernel_space_release(struct kernel_space *space)
{
	for (size_t i = 0; i < space->nmodules; i++)
		symtab_release(&space->modules[i].tab);
	free(space->modules);
	range_pool_release(&space->pool);
	if (space->todays_read)
		strtab_release(&space->todays_modules);
	free(space->todays_addresses);
	symtab_release(&space->vmlinux);
	arena_release(&space->arena);
	*space = (struct kernel_space){0};
}

void
kernel_space_set_release(struct kernel_space *space, const char *release)
{
	snprintf(space->build.release, sizeof(space->build.release), "%s", release);
}

static void
add_module(struct kernel_space *space, const struct symbol_map *map)
{
	struct build_id id = build_id_of(map->build_id, map->build_id_len);
	struct kernel_module module = {.start = map->start, .end = map->start + map->size};

	if (map->size == 0 || module.end < module.start || space->nmodules == MODULES_MAX ||
		!kernel_file_module_name(map->path, module.name, sizeof(module.name)))
		return;
	module.path = arena_strdup(&space->arena, map->path);
	/* Where a record has none of its own, readers give it the kernel's. */
	if (!build_id_equal(&id, &space->build.build_id))
		module.build_id = id;
	space->modules = mem_grow(space->modules, &space->modules_capacity, space->nmodules + 1,
		sizeof(*space->modules));

	const struct range range = {
		.start = module.start, .end = module.end, .number = space->nmodules};

	range_map_put(&space->pool, &space->modules_at, &range);
	space->modules[space->nmodules++] = module;
}

void
kernel_space_map(struct kernel_space *space, const struct symbol_map *map)
{
	struct build_id id = build_id_of(map->build_id, map->build_id_len);

	if (strcmp(map->path, KERNEL_TEXT_MAP) != 0) {
		add_module(space, map);
		return;
	}
	space->text = map->file_offset;
	if (id.len > 0)
		space->build.build_id = id;
}

/* The first passing range that overlaps these addresses; NULL if none does. */
static const struct range *
overlapping(const struct kernel_space *space, uint64_t address, uint64_t end)
{
	const struct range *range = range_map_find(&space->passing, address);

	if (!range)
		range = range_map_next(&space->passing, address);
	return range && range->start < end ? range : NULL;
}

void
kernel_space_symbol(
	struct kernel_space *space, uint64_t address, uint64_t size, const char *name, bool gone)
{
	uint64_t end = address + size;
	const struct range *old;

	if (size == 0 || end < address)
		return;
	/*
	 * A new symbol replaces those that it overlaps: they are gone, whether or not that was
	 * recorded.
	 */
	while ((old = overlapping(space, address, end)))
		range_map_cut(&space->pool, &space->passing, old->start, old->end);
	if (gone)
		return;
	const struct range range = {
		.start = address, .end = end, .item = arena_strdup(&space->arena, name)};

	range_map_put(&space->pool, &space->passing, &range);
}

/* How the capture's kernel differs from today's; NULL where no difference is known. */
static const char *
difference(const struct kernel_space *space)
{
	const struct kernel_build *build = &space->build;
	const struct kernel_names *today = space->today;

	if (build->release[0] && strcmp(build->release, today->release) != 0)
		return "kernel release";
	if (build->build_id.len > 0 && today->build_id.len > 0 &&
		!build_id_equal(&build->build_id, &today->build_id))
		return "kernel build";
	return NULL;
}

bool
kernel_space_is_todays_build(const struct kernel_space *space)
{
	return difference(space) == NULL;
}

/* Takes the names of the build's own files; a note says `why` where there are none. */
static enum kernel_state
take_files(struct kernel_space *space, const char *why)
{
	if (space->text &&
		kernel_file_vmlinux(&space->build, &space->vmlinux, &space->vmlinux_text))
		return KERNEL_OTHERS;
	module_note(space->notes, "kernel: %s", why);
	return KERNEL_UNKNOWN;
}

static enum kernel_state
take_other(struct kernel_space *space, const char *what)
{
	char why[160];

	snprintf(why, sizeof(why), "captured under another %s: no names for kernel code", what);
	return take_files(space, why);
}

static enum kernel_state
decide(struct kernel_space *space)
{
	struct kernel_names *today = space->today;
	const char *what = difference(space);

	if (what)
		return take_other(space, what);
	kernel_names_load(today);
	if (!today->readable)
		return take_files(space,
			"addresses in /proc/kallsyms are hidden from this user: no names for "
			"kernel code (sysctl kernel.kptr_restrict)");
	if (!today->text || !space->text || today->text == space->text)
		return KERNEL_TODAYS;
	if (today->build_id.len > 0 && build_id_equal(&space->build.build_id, &today->build_id))
		return KERNEL_SHIFTED;
	return take_other(space, "boot of the kernel (its code was elsewhere)");
}

/* Takes a line of /proc/modules: "ext4 737280 2 - Live 0xffffffffc0000000". */
static void
take_todays(struct kernel_space *space, const char *line, size_t len)
{
	const char *name_end = memchr(line, ' ', len);
	const char *at = memmem(line, len, " 0x", 3);

	if (!name_end || !at)
		return;
	str_id id = strtab_intern(&space->todays_modules, line, (size_t)(name_end - line));

	space->todays_addresses = mem_grow(space->todays_addresses, &space->todays_capacity,
		(size_t)id + 1, sizeof(*space->todays_addresses));
	space->todays_addresses[id] = strtoull(at, NULL, 16);
}

static void
read_todays(struct kernel_space *space)
{
	struct err ignored = {0};
	struct buf text = {0};

	space->todays_read = true;
	strtab_init(&space->todays_modules);
	if (file_read("/proc/modules", &text, MODULES_BYTES_MAX, &ignored) == 0) {
		for (const char *line = buf_text(&text); *line;) {
			const char *end = strchrnul(line, '\n');

			take_todays(space, line, (size_t)(end - line));
			line = *end ? end + 1 : end;
		}
	}
	buf_release(&text);
}

/* Today's address of the module "[ext4]" by the list of /proc/modules; 0 if it is not there. */
static uint64_t
todays_module(struct kernel_space *space, const char *name)
{
	if (!space->todays_read)
		read_todays(space);
	str_id id = strtab_find(&space->todays_modules, name + 1, strlen(name) - 2);

	return id != 0 ? space->todays_addresses[id] : 0;
}

/* Moves a symbol that was found at a shifted address back to where the capture has it. */
static struct symtab_entry *
moved(struct kernel_space *space, const struct symtab_entry *entry, uint64_t distance,
	const char *module)
{
	space->found = *entry;
	space->found.start += distance;
	space->found.end += distance;
	space->found.module = module;
	return &space->found;
}

static struct symtab_entry *
find_in_module(struct kernel_space *space, struct kernel_module *module, uint64_t address)
{
	bool todays = space->state == KERNEL_TODAYS || space->state == KERNEL_SHIFTED;

	if (!module->loaded) {
		module->loaded = true;
		if (todays)
			module->today = todays_module(space, module->name);
		/* In the same boot it is still loaded at the same address. */
		if (space->state == KERNEL_TODAYS && module->today == 0)
			module->today = module->start;
	}
	if (todays && module->today) {
		uint64_t distance = module->start - module->today;
		struct symtab_entry *entry = symtab_find(&space->today->tab, address - distance);

		if (entry && entry->module && strcmp(entry->module, module->name) == 0)
			return moved(space, entry, distance, module->name);
		if (space->state == KERNEL_TODAYS && distance == 0)
			return NULL;
	}
	if (module->tab.count == 0 && module->build_id.len > 0) {
		const char *name = module->path[0] == '/' ? module->path : module->name;

		kernel_file_module(&space->build, name, &module->build_id, &module->tab);
		/* Look for its file only once. */
		module->build_id.len = 0;
	}

	struct symtab_entry *entry = symtab_find(&module->tab, address - module->start);

	return entry ? moved(space, entry, module->start, module->name) : NULL;
}

static struct symtab_entry *
find_in_kernel(struct kernel_space *space, uint64_t address)
{
	struct symtab_entry *entry;
	uint64_t distance;

	switch (space->state) {
	case KERNEL_TODAYS:
		return symtab_find(&space->today->tab, address);
	case KERNEL_SHIFTED:
		distance = space->text - space->today->text;
		entry = symtab_find(&space->today->tab, address - distance);
		/* Modules and code loaded later do not move with the kernel. */
		return entry && !entry->module ? moved(space, entry, distance, NULL) : NULL;
	case KERNEL_OTHERS:
		distance = space->text - space->vmlinux_text;
		entry = symtab_find(&space->vmlinux, address - distance);
		return entry ? moved(space, entry, distance, NULL) : NULL;
	case KERNEL_UNDECIDED:
	case KERNEL_UNKNOWN:
		break;
	}
	return NULL;
}

struct symtab_entry *
kernel_space_find(struct kernel_space *space, uint64_t address)
{
	const struct range *passing = range_map_find(&space->passing, address);

	if (passing) {
		const char *name = passing->item;

		space->found = (struct symtab_entry){
			.start = passing->start,
			.end = passing->end,
			.name = name,
			.module = strncmp(name, "bpf_", 4) == 0 ? "[bpf]" : NULL,
			.readable = true,
		};
		return &space->found;
	}
	if (space->state == KERNEL_UNDECIDED)
		space->state = decide(space);
	const struct range *module = range_map_find(&space->modules_at, address);

	return module ? find_in_module(space, &space->modules[module->number], address)
		      : find_in_kernel(space, address);
}
