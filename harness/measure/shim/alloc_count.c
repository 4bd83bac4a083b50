#include "shim/alloc_count.h"

#include "shim/process_state.h"

/* An entry of a block: its size above, the place of its stack in the file / 8 below. */
#define STACK_BITS 27
#define SIZE_MAX_COUNTED ((UINT64_C(1) << (64 - STACK_BITS)) - 1)

_Static_assert(ALLOC_FILE_MAX / 8 <= UINT64_C(1) << STACK_BITS, "places of stacks fit");

static inline uint64_t
make_entry(const struct process_state *process, const struct alloc_stack *stack, uint64_t size)
{
	uint64_t place = (uint64_t)((const char *)stack - (const char *)process->file) / 8;

	return (size < SIZE_MAX_COUNTED ? size : SIZE_MAX_COUNTED) << STACK_BITS | place;
}

static inline struct alloc_stack *
entry_stack(const struct process_state *process, uint64_t entry)
{
	uint64_t place = entry & ((UINT64_C(1) << STACK_BITS) - 1);

	return (void *)((char *)process->file + place * 8);
}

/* To be called before a stack's live bytes change: keeps those of the last peak. */
static inline void
keep_peak(const struct alloc_file *file, struct alloc_stack *stack)
{
	if (stack->stamp == file->epoch)
		return;
	stack->peak_bytes = stack->live_bytes;
	stack->peak_blocks = stack->live_blocks;
	stack->stamp = file->epoch;
}

static inline void
add_live(struct alloc_file *file, struct alloc_stack *stack, uint64_t size)
{
	keep_peak(file, stack);
	stack->live_bytes += size;
	stack->live_blocks++;
	file->live_bytes += size;
	file->live_blocks++;
	if (file->live_bytes <= file->peak_bytes)
		return;
	file->peak_bytes = file->live_bytes;
	file->peak_blocks = file->live_blocks;
	file->epoch++;
}

static inline void
remove_live(struct alloc_file *file, struct alloc_stack *stack, uint64_t size)
{
	keep_peak(file, stack);
	stack->live_bytes -= size;
	stack->live_blocks--;
	file->live_bytes -= size;
	file->live_blocks--;
}

static inline void
end_block(struct process_state *process, uint64_t entry)
{
	process_lock(process);
	remove_live(process->file, entry_stack(process, entry), entry >> STACK_BITS);
	process_unlock(process);
}

/* Counts a request of `stack`, and with `entry` the block that it got. */
static inline void
add(struct process_state *process, struct alloc_stack *stack, uint64_t *entry, uint64_t size)
{
	/* A block that was freed while we were interrupted. */
	if (entry && *entry != 0)
		end_block(process, *entry);
	process_lock(process);
	stack->bytes += size;
	stack->count++;
	if (entry) {
		*entry = make_entry(process, stack, size);
		add_live(process->file, stack, *entry >> STACK_BITS);
	}
	process_unlock(process);
}

static inline void
add_walked(struct process_state *process, const struct walk *walk, uintptr_t address, uint64_t size)
{
	uint64_t *entry = process->totals_only ? NULL : blocks_make_entry(process, address);

	if (walk->new_address)
		process_note_addresses(process, walk);
	struct alloc_stack *stack =
		entry || process->totals_only ? stacks_intern(process, walk) : NULL;

	if (stack)
		add(process, stack, entry, size);
	else
		__atomic_fetch_add(&process->file->no_room, 1, __ATOMIC_RELAXED);
}

void
count_add(const void *address, size_t size, const struct walk_start *start)
{
	struct thread_state *thread = &thread_state;

	if (thread->busy) {
		struct process_state *process = process_state;

		if (process && process->phase == PROCESS_COUNTING)
			__atomic_fetch_add(&process->file->missed, 1, __ATOMIC_RELAXED);
		return;
	}
	thread->busy = true;
	/* What the compiler would otherwise move across: a signal's handler looks at it. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	struct process_state *process = process_counting();

	if (process) {
		/* The walk takes about as long as memory does. */
		if (!process->totals_only)
			__builtin_prefetch(blocks_entry(process, (uintptr_t)address), 1);
		struct walk *walk = process_borrow_walk(process, thread);

		walk_stack(walk, &thread->stack, start);
		add_walked(process, walk, (uintptr_t)address, size);
		process_return_walk(process, walk);
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread->busy = false;
}

struct counted_block
count_take(const void *address)
{
	struct thread_state *thread = &thread_state;
	struct counted_block block = {0};

	if (thread->busy || !address)
		return block;
	thread->busy = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	struct process_state *process = process_counting();
	uint64_t *entry =
		process && !process->totals_only ? blocks_entry(process, (uintptr_t)address) : NULL;

	if (entry && *entry != 0) {
		block.entry = *entry;
		*entry = 0;
		end_block(process, block.entry);
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread->busy = false;
	return block;
}

void
count_put_back(const void *address, struct counted_block block)
{
	struct process_state *process = process_state;
	struct thread_state *thread = &thread_state;
	uint64_t *entry = block.entry ? blocks_entry(process, (uintptr_t)address) : NULL;

	if (!entry)
		return;
	thread->busy = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*entry = block.entry;
	process_lock(process);
	add_live(process->file, entry_stack(process, block.entry), block.entry >> STACK_BITS);
	process_unlock(process);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread->busy = false;
}
