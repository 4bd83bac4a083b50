/*
 * The allocation functions of the C library, as the shim replaces them: each calls the next one of
 * its name, the C library's or that of an allocator which the program loads, and counts the block
 * by its stack.
 */
#include "shim/shim_internal.h"

#include "shim/system.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The stack of a walk, added if it is new; NULL where there is no room. */
static struct alloc_stack *
stacks_intern(struct process_state *process, const struct walk *walk)
{
	uint32_t hash = (uint32_t)walk->frames[walk->nframes - 1].hash;
	const struct stack_index *index = __atomic_load_n(&process->index, __ATOMIC_ACQUIRE);
	size_t slot;
	struct alloc_stack *stack = index ? stacks_find(process, index, hash, walk, &slot) : NULL;

	if (stack)
		return stack;
	process_lock(process);
	stack = stacks_add(process, walk, hash);
	process_unlock(process);
	return stack;
}

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
start_count(
	struct process_state *process, struct alloc_stack *stack, uint64_t *entry, uint64_t size)
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
	uint64_t *entry = process->totals_only ? NULL : blocks_entry(process, address);

	if (!entry && !process->totals_only)
		entry = blocks_make_entry(process, address);
	if (walk->new_address)
		process_note_addresses(process, walk);
	struct alloc_stack *stack =
		entry || process->totals_only ? stacks_intern(process, walk) : NULL;

	if (stack)
		start_count(process, stack, entry, size);
	else
		__atomic_fetch_add(&process->file->no_room, 1, __ATOMIC_RELAXED);
}

/* A block that was taken out of the count by count_take(); all zeros: it was not counted. */
struct counted_block {
	uint64_t entry; /* its stack and its size */
};

/* Counts a block of `size` requested bytes at `address`, which is not 0. */
static void
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

/*
 * Takes a block out of the count: before it is given back, after which another thread may be given
 * its address.
 */
static struct counted_block
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

/* Counts the block again: it was not given back after all. */
static void
count_restore(const void *address, struct counted_block block)
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

/*
 * The hooks.
 */

/* What the program finds in its own place. */
#define HOOK __attribute__((visibility("default"), noinline))

/* The functions behind the hooks. */
static struct {
	void *(*malloc)(size_t size);
	void (*free)(void *block);
	void *(*calloc)(size_t count, size_t size);
	void *(*realloc)(void *block, size_t size);
	void *(*memalign)(size_t alignment, size_t size);
	void *(*aligned_alloc)(size_t alignment, size_t size);
	int (*posix_memalign)(void **block, size_t alignment, size_t size);
	void *(*valloc)(size_t size);
	void *(*pvalloc)(size_t size);
	int (*dlclose)(void *module);
	int (*pthread_create)(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
		void *argument);
} next;

/* What dlsym() itself allocates while the functions above are looked up; never given back. */
static char early[16384] __attribute__((aligned(16)));
static size_t early_used;
static bool finding;

static bool
is_early(const void *block)
{
	return (const char *)block >= early && (const char *)block < early + sizeof(early);
}

static void *
early_malloc(size_t size)
{
	size_t at = __atomic_fetch_add(&early_used, (size + 31) / 16 * 16, __ATOMIC_RELAXED);

	if (size > sizeof(early) || at > sizeof(early) - size - 16)
		return NULL;
	/* Its size is ahead of it, for realloc(). */
	memcpy(early + at, &size, sizeof(size));
	return early + at + 16;
}

static void
find_next(void)
{
	const struct {
		const char *name;
		void *function;
	} functions[] = {
		{"malloc", &next.malloc},
		{"calloc", &next.calloc},
		{"realloc", &next.realloc},
		{"memalign", &next.memalign},
		{"aligned_alloc", &next.aligned_alloc},
		{"posix_memalign", &next.posix_memalign},
		{"valloc", &next.valloc},
		{"pvalloc", &next.pvalloc},
		{"dlclose", &next.dlclose},
		{"pthread_create", &next.pthread_create},
		{"free", &next.free},
	};

	if (finding)
		return;
	finding = true;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *found = dlsym(RTLD_NEXT, functions[i].name);

		memcpy(functions[i].function, &found, sizeof(found));
	}
	finding = false;
}

#define NEXT(name) (__builtin_expect(next.free != NULL, 1) ? next.name : (find_next(), next.name))

/* The registers of the hook's caller behind its call; the hook keeps a frame pointer. */
#define START_HERE                                                    \
	(&(const struct walk_start){                                  \
		.pc = (uintptr_t)__builtin_return_address(0),         \
		.sp = (uintptr_t)__builtin_dwarf_cfa(),               \
		.fp = *(const uintptr_t *)__builtin_frame_address(0), \
	})

static inline void *
counted(void *block, size_t size, const struct walk_start *start)
{
	if (block)
		count_add(block, size, start);
	return block;
}

HOOK void *
malloc(size_t size)
{
	void *(*function)(size_t) = NEXT(malloc);

	if (!function)
		return early_malloc(size);
	return counted(function(size), size, START_HERE);
}

HOOK void
free(void *block)
{
	void (*function)(void *) = NEXT(free);

	if (!block || is_early(block))
		return;
	(void)count_take(block);
	if (function)
		function(block);
}

HOOK void *
calloc(size_t count, size_t size)
{
	void *(*function)(size_t, size_t) = NEXT(calloc);

	if (function)
		return counted(function(count, size), count * size, START_HERE);
	/* What it gives is still zeros. */
	return size != 0 && count > SIZE_MAX / size ? NULL : early_malloc(count * size);
}

static void *
realloc_early(const void *block, size_t size, const struct walk_start *start)
{
	void *made = next.malloc ? counted(next.malloc(size), size, start) : early_malloc(size);
	size_t old;

	memcpy(&old, (const char *)block - 16, sizeof(old));
	if (made)
		memcpy(made, block, old < size ? old : size);
	return made;
}

static inline void *
resize(void *block, size_t size, const struct walk_start *start)
{
	void *(*function)(void *, size_t) = NEXT(realloc);

	if (is_early(block))
		return realloc_early(block, size, start);
	if (!function)
		return early_malloc(size);
	struct counted_block old = count_take(block);
	void *made = function(block, size);

	if (made)
		count_add(made, size, start);
	else if (size > 0)
		count_restore(block, old);
	return made;
}

HOOK void *
realloc(void *block, size_t size)
{
	return resize(block, size, START_HERE);
}

HOOK void *
reallocarray(void *block, size_t count, size_t size)
{
	if (size != 0 && count > SIZE_MAX / size) {
		errno = ENOMEM;
		return NULL;
	}
	return resize(block, count * size, START_HERE);
}

HOOK void *
memalign(size_t alignment, size_t size)
{
	void *(*function)(size_t, size_t) = NEXT(memalign);

	return function ? counted(function(alignment, size), size, START_HERE) : NULL;
}

HOOK void *
aligned_alloc(size_t alignment, size_t size)
{
	void *(*function)(size_t, size_t) = NEXT(aligned_alloc);

	return function ? counted(function(alignment, size), size, START_HERE) : NULL;
}

HOOK int
posix_memalign(void **block, size_t alignment, size_t size)
{
	int (*function)(void **, size_t, size_t) = NEXT(posix_memalign);
	int result = function ? function(block, alignment, size) : ENOMEM;

	if (result == 0)
		(void)counted(*block, size, START_HERE);
	return result;
}

HOOK void *
valloc(size_t size)
{
	void *(*function)(size_t) = NEXT(valloc);

	return function ? counted(function(size), size, START_HERE) : NULL;
}

HOOK void *
pvalloc(size_t size)
{
	void *(*function)(size_t) = NEXT(pvalloc);

	return function ? counted(function(size), size, START_HERE) : NULL;
}

HOOK int
dlclose(void *module)
{
	int (*function)(void *) = NEXT(dlclose);
	int result = function ? function(module) : -1;
	struct process_state *process = process_counting();

	if (process)
		process_check_unloaded(process);
	return result;
}

/* What a new thread runs. It is freed by the thread. */
struct thread_begin {
	void *(*start)(void *);
	void *argument;
};

static void *
run_thread(void *argument)
{
	struct thread_begin begin = *(struct thread_begin *)argument;

	walk_thread_started(&thread_state.stack, __builtin_frame_address(0));
	next.free(argument);
	/* A jump: this is no frame of the thread's stacks. */
	return begin.start(begin.argument);
}

HOOK int
pthread_create(
	pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *argument)
{
	int (*function)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
		NEXT(pthread_create);
	struct thread_begin *begin = next.malloc ? next.malloc(sizeof(*begin)) : NULL;

	if (!function || !begin)
		return EAGAIN;
	process_note_threads();
	*begin = (struct thread_begin){start, argument};
	int result = function(thread, attr, run_thread, begin);

	if (result != 0)
		next.free(begin);
	return result;
}

/* A process that never allocates is to have a file, too. */
static __attribute__((constructor)) void
begin_hooks(void)
{
	uintptr_t called = (uintptr_t)dlsym(RTLD_DEFAULT, "malloc");
	struct process_state *process = process_counting();

	if (process && (called < process->file->own_start || called >= process->file->own_end))
		process->file->flags |= ALLOC_OVERRIDDEN;
}
