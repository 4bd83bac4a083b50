/*
 * Each stack once: an open hash table of places in the file. It is read without a lock, since a
 * slot is written once and after what it stands for.
 */
#include "shim/process_state.h"
#include "shim/system.h"

struct stack_index {
	size_t mask;
	size_t count;
	uint64_t slots[]; /* hash in the upper half, place / 8 in the lower; 0: empty */
};

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

static inline bool
equals(const struct alloc_stack *stack, const struct walk *walk, uint32_t generation)
{
	const struct walk_frame *frame = &walk->frames[walk->nframes];

	if (stack->nframes != walk->nframes || stack->generation != generation ||
		stack->flags != walk->flags)
		return false;
	for (size_t i = 0; i < walk->nframes; i++)
		if (stack->pcs[i] != (--frame)->pc)
			return false;
	return true;
}

static inline struct alloc_stack *
find(const struct process_state *process, const struct stack_index *index, uint32_t hash,
	const struct walk *walk, size_t *free_slot)
{
	size_t at = hash & index->mask;
	uint64_t slot;

	while ((slot = __atomic_load_n(&index->slots[at], __ATOMIC_ACQUIRE)) != 0) {
		struct alloc_stack *stack =
			(void *)((char *)process->file + (slot & UINT32_MAX) * 8);

		if (slot >> 32 == hash && equals(stack, walk, process->generation))
			return stack;
		at = (at + 1) & index->mask;
	}
	*free_slot = at;
	return NULL;
}

static bool
grow(struct process_state *process)
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

/* The lock is held. */
static struct alloc_stack *
add(struct process_state *process, const struct walk *walk, uint32_t hash)
{
	struct stack_index *index = process->index;
	size_t slot = 0;

	if ((!index || index->count * 2 > index->mask) && !grow(process))
		return NULL;
	index = process->index;
	struct alloc_stack *stack = find(process, index, hash, walk, &slot);

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

struct alloc_stack *
stacks_intern(struct process_state *process, const struct walk *walk)
{
	uint32_t hash = (uint32_t)walk->frames[walk->nframes - 1].hash;
	const struct stack_index *index = __atomic_load_n(&process->index, __ATOMIC_ACQUIRE);
	size_t slot;
	struct alloc_stack *stack = index ? find(process, index, hash, walk, &slot) : NULL;

	if (stack)
		return stack;
	process_lock(process);
	stack = add(process, walk, hash);
	process_unlock(process);
	return stack;
}
