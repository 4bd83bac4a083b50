#include "ingest/data_maps.h"

#include "base/mem.h"
#include "symbols/spaces.h"

#include <string.h>
#include <sys/mman.h>

/* Kinds of memory; spaces.h only carries them. Never written. */
static struct mapped_file file_memory = {.number = 1, .kind = MAPPING_FILE};
static struct mapped_file shared_memory = {.number = 2, .kind = MAPPING_OTHER};
static struct mapped_file other_memory = {.number = 3, .kind = MAPPING_ANONYMOUS};
static struct mapped_file kernels_memory = {.number = 4, .kind = MAPPING_VDSO};

void
data_maps_release(struct data_maps *maps)
{
	spaces_release(&maps->spaces);
}

/* The memory that is mapped at `address` by now; NULL where none is. */
static const struct mapped_file *
memory_at(const struct space *space, uint64_t address)
{
	struct mapping mapping;

	return space_mapping(space, address, &mapping) && !mapping.stale ? mapping.file : NULL;
}

/* The kernel maps the zeroed data of a program right behind the rest of it. */
static bool
follows_file(const struct data_maps *maps, const struct record_mmap *map)
{
	const struct space *space = spaces_find(&maps->spaces, map->pid);

	return space && map->start > 0 && memory_at(space, map->start - 1) == &file_memory &&
	       strcmp(map->path, "[heap]") != 0;
}

static struct mapped_file *
memory_of(const struct data_maps *maps, const struct record_mmap *map)
{
	if (map->flags & MAP_SHARED)
		return &shared_memory;
	switch (mapping_kind_of(map->path)) {
	case MAPPING_FILE:
		return &file_memory;
	case MAPPING_JIT_DUMP:
	case MAPPING_ANONYMOUS:
		return follows_file(maps, map) ? &file_memory : &other_memory;
	case MAPPING_VDSO:
	case MAPPING_OTHER:
		break;
	}
	return &kernels_memory;
}

void
data_maps_add(struct data_maps *maps, const struct record_mmap *map)
{
	const struct mapping mapping = {
		.start = map->start,
		.end = map->start + map->size,
		.file = memory_of(maps, map),
	};

	if (map->size > 0 && mapping.end > mapping.start)
		spaces_map(&maps->spaces, map->pid, &mapping);
}

void
data_maps_fork(struct data_maps *maps, uint32_t pid, uint32_t parent_pid)
{
	spaces_fork(&maps->spaces, pid, parent_pid);
}

void
data_maps_exec(struct data_maps *maps, uint32_t pid)
{
	spaces_exec(&maps->spaces, pid);
}

/* The first thread's stack is not recorded: it lies below what the kernel maps for itself. */
static bool
is_below_kernels(const struct space *space, uint64_t address)
{
	struct mapping mapping;

	return space_next(space, address, &mapping) && mapping.file == &kernels_memory;
}

/*
 * The kind of lock at `address` for a thread of `pid` whose stack pointer is `sp`: in the memory of
 * a program file or library (also what follows that, its zeroed data), in memory that processes
 * share, on a stack, or in other memory, which is the heap; WAIT_LOCK where that is not known.
 * Stacks are the thread's own, and the first one of its process.
 */
static enum wait_reason
data_maps_lock(const struct data_maps *maps, uint32_t pid, uint64_t address, uint64_t sp)
{
	const struct space *space = spaces_find(&maps->spaces, pid);
	struct mapping mapping;

	if (!space)
		return WAIT_LOCK;
	if (!space_mapping(space, address, &mapping) || mapping.stale)
		return is_below_kernels(space, address) ? WAIT_STACK_LOCK : WAIT_LOCK;
	if (mapping.file == &file_memory)
		return WAIT_STATIC_LOCK;
	if (mapping.file == &shared_memory)
		return WAIT_SHARED_LOCK;
	if (mapping.file == &kernels_memory || (address >= sp && sp >= mapping.start))
		return WAIT_STACK_LOCK;
	return WAIT_HEAP_LOCK;
}

enum wait_reason
data_maps_lock_of(const struct data_maps *maps, const struct unwind_machine *machine,
	const struct perf_event_attr *attr, const struct record *record)
{
	const struct record_sample *sample = &record->u.sample;
	struct unwind_regs regs;

	if (!machine || !sample->user_regs || sample->user_regs_abi != PERF_SAMPLE_REGS_ABI_64 ||
		!unwind_regs_from_sample(machine, attr->sample_regs_user, sample->user_regs,
			sample->nuser_regs, &regs) ||
		(regs.known & UINT64_C(1) << machine->call_argument) == 0)
		return WAIT_UNKNOWN;
	return data_maps_lock(maps, record->id.pid, regs.values[machine->call_argument],
		regs.values[machine->sp]);
}
