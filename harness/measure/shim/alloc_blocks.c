/*
 * Which stack allocated a block, and its size: a word for each 16 bytes of memory, side by side as
 * the blocks are. A block's word is touched by whoever has the block, so no lock is needed, and it
 * is in the processor's cache when the block's neighbours are. With the C library's malloc, whose
 * blocks take at least 32 bytes, this is at most half of the heap's memory.
 */
#include "shim/process_state.h"
#include "shim/system.h"

#define ENTRIES ((size_t)1 << (BLOCK_REGION_BITS - 4))

uint64_t *
blocks_make_entry(struct process_state *process, uintptr_t address)
{
	uint64_t *entry = blocks_entry(process, address);
	size_t region = address >> BLOCK_REGION_BITS << 1 | (address >> 3 & 1);

	if (entry || region >= BLOCK_REGIONS)
		return entry;
	uint64_t *made = system_zeros(ENTRIES * sizeof(*made), true);
	uint64_t *there = NULL;

	/* Another thread may have made it meanwhile. */
	if (made && !__atomic_compare_exchange_n(&process->blocks[region], &there, made, false,
			    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		system_unmap(made, ENTRIES * sizeof(*made));
	return blocks_entry(process, address);
}
