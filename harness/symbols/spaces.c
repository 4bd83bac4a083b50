#include "symbols/spaces.h"

#include "base/mem.h"
#include "base/search.h"
#include "symbols/jit_dump.h"

#include <stdlib.h>
#include <string.h>

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
	for (size_t i = 0; i < spaces->by_pid.count; i++)
		free(spaces->spaces[i].maps);
	free(spaces->spaces);
	key_map_release(&spaces->by_pid);
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

/* The number of mappings that end at or before `address`. */
static size_t
count_before(const struct space *space, uint64_t address)
{
	return search_until(space->maps, space->nmaps, SEARCH_BY(struct mapping, end), address);
}

const struct mapping *
space_mapping(const struct space *space, uint64_t address)
{
	size_t at = count_before(space, address);

	return at < space->nmaps && space->maps[at].start <= address ? &space->maps[at] : NULL;
}

void
spaces_map(struct spaces *spaces, uint32_t pid, const struct mapping *mapping)
{
	struct space *space = add_space(spaces, pid);
	size_t first = count_before(space, mapping->start);
	size_t behind = first;
	struct mapping pieces[3]; /* what is left of the old ones on both sides, and the new one */
	size_t npieces = 0;

	while (behind < space->nmaps && space->maps[behind].start < mapping->end)
		behind++;
	if (first < behind && space->maps[first].start < mapping->start) {
		pieces[npieces] = space->maps[first];
		pieces[npieces++].end = mapping->start;
	}
	pieces[npieces++] = *mapping;
	if (first < behind && space->maps[behind - 1].end > mapping->end) {
		struct mapping *right = &pieces[npieces++];

		*right = space->maps[behind - 1];
		right->file_offset += mapping->end - right->start;
		right->start = mapping->end;
	}

	size_t after = space->nmaps - behind;

	space->maps =
		mem_grow(space->maps, &space->capacity, space->nmaps + 2, sizeof(*space->maps));
	memmove(space->maps + first + npieces, space->maps + behind, after * sizeof(*space->maps));
	memcpy(space->maps + first, pieces, npieces * sizeof(*pieces));
	space->nmaps = first + npieces + after;
	space->id = ++spaces->last_id;
	if (mapping->file->kind == MAPPING_JIT_DUMP)
		space->jit_dump = mapping->file->key.path;
}

void
spaces_fork(struct spaces *spaces, uint32_t pid, uint32_t parent_pid)
{
	if (pid == parent_pid)
		return;
	struct space *child = add_space(spaces, pid);
	const struct space *parent = spaces_find(spaces, parent_pid);

	child->nmaps = 0;
	child->jit_dump = NULL;
	child->id = ++spaces->last_id;
	if (!parent || parent->nmaps == 0)
		return;
	child->maps = mem_grow(child->maps, &child->capacity, parent->nmaps, sizeof(*child->maps));
	memcpy(child->maps, parent->maps, parent->nmaps * sizeof(*child->maps));
	child->nmaps = parent->nmaps;
	child->jit_dump = parent->jit_dump;
	/* The names of a JIT's code are kept by pid: they are not the child's. */
	for (size_t i = 0; i < child->nmaps; i++)
		if (child->maps[i].file->kind == MAPPING_ANONYMOUS)
			return;
	child->id = parent->id;
}

void
spaces_exec(struct spaces *spaces, uint32_t pid)
{
	struct space *space = add_space(spaces, pid);
	size_t kept = 0;

	for (size_t i = 0; i < space->nmaps; i++) {
		if (space->maps[i].stale)
			continue;
		space->maps[kept] = space->maps[i];
		space->maps[kept++].stale = true;
	}
	space->nmaps = kept;
	space->jit_dump = NULL;
	space->id = ++spaces->last_id;
}
