#include "symbols/spaces.h"

#include "base/mem.h"
#include "symbols/module_file.h"

#include <stdlib.h>
#include <string.h>

/* For x86-64, and the usual one of AArch64. */
#define LARGE_PAGE_BYTES ((uint64_t)2 << 20)
/* Pieces of files below one mapping of memory. */
#define COPIES_MAX 16

enum mapping_kind
mapping_kind_of(const char *path)
{
	static const char *const anonymous[] = {
		"//anon", "/anon_hugepage", "/dev/zero", "/memfd:", "/SYSV", "[anon"};

	if (strcmp(path, "[vdso]") == 0)
		return MAPPING_VDSO;
	for (size_t i = 0; i < sizeof(anonymous) / sizeof(anonymous[0]); i++)
		if (strncmp(path, anonymous[i], strlen(anonymous[i])) == 0)
			return MAPPING_ANONYMOUS;
	if (path[0] == '\0' || strcmp(path, "[heap]") == 0)
		return MAPPING_ANONYMOUS;
	if (path[0] != '/')
		return MAPPING_OTHER;
	return jit_dump_is_path(path) ? MAPPING_JIT_DUMP : MAPPING_FILE;
}

void
spaces_release(struct spaces *spaces)
{
	free(spaces->spaces);
	key_map_release(&spaces->by_pid);
	range_pool_release(&spaces->pool);
	*spaces = (struct spaces){0};
}

struct space *
spaces_find(const struct spaces *spaces, uint32_t pid)
{
	uint32_t index = key_map_find(&spaces->by_pid, pid);

	return index != KEY_MAP_NONE ? &spaces->spaces[index] : NULL;
}

static struct space *
add_space(struct spaces *spaces, uint32_t pid)
{
	uint32_t index = key_map_add(&spaces->by_pid, pid);

	spaces->spaces = mem_grow(
		spaces->spaces, &spaces->capacity, spaces->by_pid.count, sizeof(*spaces->spaces));
	/* A new element is zeroed. */
	spaces->spaces[index].pid = pid;
	return &spaces->spaces[index];
}

struct mapping
mapping_of_range(const struct range *range)
{
	return (struct mapping){
		.start = range->start,
		.end = range->end,
		/* A part that is left of a range keeps the distance. */
		.file_offset = range->start + range->number,
		.file = range->item,
	};
}

bool
space_mapping(const struct space *space, uint64_t address, struct mapping *mapping)
{
	const struct range *now = range_map_find(&space->maps, address);
	const struct range *range = now ? now : range_map_find(&space->before, address);

	if (!range)
		return false;
	*mapping = mapping_of_range(range);
	mapping->stale = !now;
	return true;
}

bool
space_next(const struct space *space, uint64_t address, struct mapping *mapping)
{
	const struct range *range = range_map_next(&space->maps, address);

	if (range)
		*mapping = mapping_of_range(range);
	return range != NULL;
}

/* Whether a file's code at `range` is still its own when memory without a file is mapped there. */
static bool
keeps_code(const struct space *space, const struct range *range, const struct range *over)
{
	const struct mapped_file *file = range->item;

	if (file->kind != MAPPING_FILE || file->data)
		return false;
	if (file == space->program)
		return true;
	return (over->start == range->start && over->end == range->end) ||
	       (over->start % LARGE_PAGE_BYTES == 0 && over->end % LARGE_PAGE_BYTES == 0 &&
		       over->start >= range->start && over->end <= range->end);
}

/* Maps memory without a file, and the code that was copied into it back over it. */
static void
put_anonymous(struct spaces *spaces, struct space *space, const struct range *over)
{
	struct range kept[COPIES_MAX] = {0};
	size_t nkept = 0;
	const struct range *at = range_map_find(&space->maps, over->start);

	if (!at)
		at = range_map_next(&space->maps, over->start);
	for (; at && at->start < over->end && nkept < COPIES_MAX;
		at = range_map_next(&space->maps, at->start))
		if (keeps_code(space, at, over))
			kept[nkept++] = *at;
	range_map_put(&spaces->pool, &space->maps, over);
	for (size_t i = 0; i < nkept; i++) {
		struct range part = kept[i];

		/* `number` has the distance from an address to its offset in the file. */
		part.start = part.start > over->start ? part.start : over->start;
		part.end = part.end < over->end ? part.end : over->end;
		range_map_put(&spaces->pool, &space->maps, &part);
	}
}

void
spaces_map(struct spaces *spaces, uint32_t pid, const struct mapping *mapping)
{
	struct space *space = add_space(spaces, pid);
	const struct range range = {
		.start = mapping->start,
		.end = mapping->end,
		.item = mapping->file,
		.number = mapping->file_offset - mapping->start,
		.bits = 1u << mapping->file->kind,
	};

	if (!space->program && mapping->file->kind == MAPPING_FILE && !mapping->file->data)
		space->program = mapping->file;
	if (mapping->file->kind == MAPPING_ANONYMOUS)
		put_anonymous(spaces, space, &range);
	else
		range_map_put(&spaces->pool, &space->maps, &range);
	range_map_cut(&spaces->pool, &space->before, mapping->start, mapping->end);
	space->id = ++spaces->last_id;
	if (mapping->file->kind == MAPPING_JIT_DUMP)
		space->jit_dump = mapping->file->key.path;
}

static void
copy_maps(struct spaces *spaces, struct space *to, struct space *from)
{
	to->jit_dump = from->jit_dump;
	to->program = from->program;
	to->maps = range_map_share(&spaces->pool, &from->maps);
	to->before = range_map_share(&spaces->pool, &from->before);
}

void
spaces_fork(struct spaces *spaces, uint32_t pid, uint32_t parent_pid)
{
	struct space none = {0};

	if (pid == parent_pid)
		return;
	struct space *child = add_space(spaces, pid);
	struct space *parent = spaces_find(spaces, parent_pid);

	copy_maps(spaces, child, parent ? parent : &none);
	/* The names of a JIT's code are kept by pid: they are not the child's. */
	unsigned kinds = range_map_bits(&child->maps) | range_map_bits(&child->before);

	child->id =
		kinds != 0 && !(kinds & 1u << MAPPING_ANONYMOUS) ? parent->id : ++spaces->last_id;
}

void
spaces_exec(struct spaces *spaces, uint32_t pid)
{
	struct space *space = add_space(spaces, pid);

	space->before = space->maps;
	space->maps = (struct range_map){0};
	space->jit_dump = NULL;
	space->program = NULL;
	space->id = ++spaces->last_id;
}

struct space
spaces_keep(struct spaces *spaces, uint32_t pid)
{
	struct space *space = spaces_find(spaces, pid);
	struct space kept = *space;

	copy_maps(spaces, &kept, space);
	return kept;
}
