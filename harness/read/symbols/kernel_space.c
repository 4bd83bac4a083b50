/*
 * The kernel of a capture: whether its names are those of the running kernel or of the files of
 * another build, and the function at an address.
 */
#include "base/buf.h"
#include "base/file_view.h"
#include "base/mem.h"
#include "elf/elf_image.h"
#include "symbols/symbols_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
