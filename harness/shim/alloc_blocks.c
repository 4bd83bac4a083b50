/*
 * Which stack allocated a block, and its size: a word for each 16 bytes of memory, side by side as
 * the blocks are. A block's word is touched by whoever has the block, so no lock is needed, and it
 * is in the processor's cache when the block's neighbours are. With the C library's malloc, whose
 * blocks take at least 32 bytes, this is at most half of the heap's memory.
 */
#include "shim/process_state.h"
#include "shim/system.h"

#define REGION_BITS 26
#define ADDRESS_BITS 47
#define ENTRIES ((size_t)1 << (REGION_BITS - 4))

/* Some allocators align small blocks to 8 bytes: these have words of their own. */
static size_t
region_of(uintptr_t address)
{
	return address >> REGION_BITS << 1 | (address >> 3 & 1);
}

static uint64_t *
make_region(struct process_state *process, size_t region)
{
	uint64_t *made = system_zeros(ENTRIES * sizeof(*made), true);
	uint64_t *there = NULL;

	if (!made || __atomic_compare_exchange_n(&process->blocks[region], &there, made, false,
			     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return made;
	system_unmap(made, ENTRIES * sizeof(*made));
	return there;
}

uint64_t *
blocks_entry(struct process_state *process, uintptr_t address, bool make)
{
	size_t region = region_of(address);

	if (address >> ADDRESS_BITS != 0)
		return NULL;
	uint64_t *entries = __atomic_load_n(&process->blocks[region], __ATOMIC_ACQUIRE);

	if (!entries && make)
		entries = make_region(process, region);
	return entries ? &entries[(address & ((UINT64_C(1) << REGION_BITS) - 1)) >> 4] : NULL;
}
