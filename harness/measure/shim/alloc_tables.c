/*
 * The tables by which the hooks find a counted block and its stack, as they grow: the regions of
 * block entries, and the index of stacks. The hooks read them without a lock (shim_internal.h).
 */
#include "shim/shim_internal.h"

#include "shim/system.h"

#define ENTRIES ((size_t)1 << (BLOCK_REGION_BITS - 4))

uint64_t *
blocks_make_entry(struct process_state *process, uintptr_t address)
{
	size_t region = address >> BLOCK_REGION_BITS << 1 | (address >> 3 & 1);

	if (region >= BLOCK_REGIONS)
		return NULL;
	uint64_t *made = system_zeros(ENTRIES * sizeof(*made), true);
	uint64_t *there = NULL;

	/* Another thread may have made it meanwhile. */
	if (made && !__atomic_compare_exchange_n(&process->blocks[region], &there, made, false,
			    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		system_unmap(made, ENTRIES * sizeof(*made));
	return blocks_entry(process, address);
}

#define FIRST_SLOTS ((size_t)1 << 14)

static struct stack_index *
make_index(size_t nslots)
{
	struct stack_index *index =
		system_zeros(sizeof(*index) + nslots * sizeof(index->slots[0]), true);

	if (index)
		index->mask = nslots - 1;
	return index;
}

static bool
grow_index(struct process_state *process)
{
	struct stack_index *old = process->index;
	struct stack_index *index = make_index(old ? 2 * (old->mask + 1) : FIRST_SLOTS);

	if (!index)
		return false;
	for (size_t i = 0; old && i <= old->mask; i++) {
		size_t at = old->slots[i] >> 32 & index->mask;

		if (old->slots[i] == 0)
			continue;
		while (index->slots[at] != 0)
			at = (at + 1) & index->mask;
		index->slots[at] = old->slots[i];
		index->count++;
	}
	__atomic_store_n(&process->index, index, __ATOMIC_RELEASE);
	return true;
}

struct alloc_stack *
stacks_add(struct process_state *process, const struct walk *walk, uint32_t hash)
{
	struct stack_index *index = process->index;
	size_t slot = 0;

	if ((!index || index->count * 2 > index->mask) && !grow_index(process))
		return NULL;
	index = process->index;
	struct alloc_stack *stack = stacks_find(process, index, hash, walk, &slot);

	if (stack)
		return stack;
	stack = process_add_record(
		process, ALLOC_STACK, sizeof(*stack) + walk->nframes * sizeof(stack->pcs[0]));
	if (!stack)
		return NULL;
	stack->generation = process->generation;
	stack->nframes = (uint16_t)walk->nframes;
	stack->flags = walk->flags;
	for (size_t i = 0; i < walk->nframes; i++)
		stack->pcs[i] = walk->frames[walk->nframes - 1 - i].pc;
	index->count++;
	__atomic_store_n(&index->slots[slot],
		(uint64_t)hash << 32 | (uint64_t)((char *)stack - (char *)process->file) / 8,
		__ATOMIC_RELEASE);
	return stack;
}
