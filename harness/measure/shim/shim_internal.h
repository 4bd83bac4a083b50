/*
 * The functions by which the shim's files count an allocation by its stack: the stack is walked, by
 * the rules of its frames, and recorded in the state that is kept of the process.
 */
#ifndef SHIM_SHIM_INTERNAL_H
#define SHIM_SHIM_INTERNAL_H

#include "shim/shim.h"
#include "shim/system.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The rule of a frame: how the caller's stack pointer, frame pointer and return address are found
 * at an address, by the call frame information (.eh_frame) of the loaded modules, in 64 bits.
 *
 * Only these registers are followed. Compilers define frames by them alone; what else is possible
 * (hand-written code that saves its stack pointer in another register) ends a stack as broken.
 */

enum frame_rule_kind {
	FRAME_UNKNOWN,   /* no information: frame pointers may help */
	FRAME_LOST,      /* there is information, but it cannot be followed */
	FRAME_OUTMOST,   /* there is no caller */
	FRAME_FROM_SP,   /* the CFA is the stack pointer plus `cfa` */
	FRAME_FROM_FP,   /* the CFA is the frame pointer plus `cfa` */
	FRAME_AT_SP,     /* the CFA is in memory at the stack pointer plus `cfa` */
	FRAME_AT_FP,     /* the CFA is in memory at the frame pointer plus `cfa` */
	FRAME_OF_SIGNAL, /* a signal handler's caller: all registers are in the kernel's frame */
};

struct frame_rule {
	int32_t cfa;
	int16_t fp_words; /* the caller's frame pointer is at the CFA plus so many words of 8
			     bytes; 0: it is the same */
	int8_t ra_words;  /* the return address, likewise */
	uint8_t kind;
};

/* A module's code, and its sorted table of functions (LSB Core 5.0, section 10.6.2). */
struct frame_module {
	uintptr_t start;
	uintptr_t end;
	const unsigned char *table; /* .eh_frame_hdr, relocated; NULL: it has none */
	size_t table_bytes;
};

/* The module that an address is in; false where the loader knows none. */
bool frame_module_find(uintptr_t pc, struct frame_module *module);
/* The number of modules that were unloaded so far. */
uint64_t frame_modules_unloaded(void);

/* The rule that an entry of .eh_frame gives at `pc`. */
struct frame_rule frame_rule_make(const unsigned char *entry, uintptr_t pc);

/*
 * Reads the memory maps of this process, /proc/self/maps, without allocating.
 */

/* A line of /proc/self/maps (proc_pid_maps(5)). */
struct maps_line {
	uintptr_t start;
	uintptr_t end;
	bool writable;
	bool executable;
	const char *text; /* without its newline */
	size_t len;
};

/* Calls `take` with each line, until it returns false. */
void maps_each(bool (*take)(void *context, const struct maps_line *line), void *context);

/*
 * Walks the stack of a hook's caller in its own process, without allocating.
 */

/* Where a hook was called from: its caller's registers behind the call. */
struct walk_start {
	uintptr_t pc; /* the return address */
	uintptr_t sp;
	uintptr_t fp;
};

/* The stack that a thread was last seen on. Initially all zeros. */
struct walk_thread {
	uintptr_t stack_low;  /* addresses in it are above ... */
	uintptr_t stack_high; /* ... and below */
};

struct walk_frame {
	uintptr_t pc; /* behind its call, or behind the address that a signal interrupted */
	uintptr_t sp; /* its registers */
	uintptr_t fp;
	uintptr_t pc_at; /* where its caller's pc was read; 0: not only from there */
	uintptr_t fp_at; /* ... and its fp; 0: it is the same */
	uint64_t hash;   /* of the pcs from the outermost frame to this one */
};

/*
 * The frames of the last walk, which the next one with this struct reuses: where a frame has the
 * same registers as before, and all that was read from memory for its callers is unchanged, the
 * callers are the same. Initially all zeros.
 */
struct walk {
	struct walk_frame frames[ALLOC_FRAMES_MAX]; /* outermost first */
	size_t nframes;
	uint16_t flags;   /* enum alloc_stack_flag */
	bool new_address; /* an address was in no walk before: its map may be new, too */
	uint32_t rules;   /* how often walk_forget_rules() was called before the walk */
	uintptr_t high;   /* the end of the stack */
	struct walk_frame fresh[ALLOC_FRAMES_MAX]; /* of the walk being made, innermost first */
	size_t nfresh;
};

/* Fills in frames, nframes, flags and new_address. */
void walk_stack(struct walk *walk, struct walk_thread *thread, const struct walk_start *start);
/* The stack of a thread that starts now, on which `local` is. */
void walk_thread_started(struct walk_thread *thread, const void *local);
/* Forgets all rules: code was unloaded, and other code may be at its addresses. */
void walk_forget_rules(void);

/*
 * The state that the shim keeps of its process: the file of its records, the code maps already
 * written to it, and the walks that its threads borrow. It lies in memory that a forked child has
 * as zeros: the child begins anew, with its own file, whatever the parent's other threads were just
 * doing.
 */

enum process_phase {
	PROCESS_NEW, /* a forked child's, too */
	PROCESS_BEGINNING,
	PROCESS_COUNTING,
	PROCESS_OFF, /* there is no folder for files, or no memory */
};

/* Regions of 64 MiB of addresses; even and odd multiples of 8 bytes apart (alloc_tables.c). */
#define BLOCK_REGION_BITS 26
#define BLOCK_REGIONS ((size_t)1 << (47 - BLOCK_REGION_BITS + 1))
/* Executable maps that are known: of more, lines are written twice. */
#define MAPS_KNOWN 4096

struct code_range {
	uintptr_t start;
	uintptr_t end;
};

/* Threads that can walk their stacks at the same moment; the others wait. */
#define WALKS 64

struct process_state {
	uint32_t phase;      /* enum process_phase */
	uint32_t lock;       /* of all that follows, once there are threads */
	uint8_t lent[WALKS]; /* of the walks, those in use */
	uint32_t threaded;   /* there was a second thread */
	uint32_t generation; /* of the maps: grows when a module is unloaded */
	bool totals_only;    /* what is freed is not followed */
	uint64_t unloaded;   /* modules, when the generation began */

	/* The file: mapped as far as it exists, at addresses that are reserved for all of it. */
	struct alloc_file *file;
	size_t file_bytes;
	char path[4096];

	/* Stacks by hash; replaced by a larger one, and then kept for those who still read it. */
	struct stack_index *index;

	uint64_t **blocks; /* BLOCK_REGIONS of them (alloc_tables.c) */

	struct code_range known[MAPS_KNOWN];
	size_t nknown;
};

/* What the shim keeps of a thread: little, since it takes room of the thread's stack. */
struct thread_state {
	bool busy;           /* in the shim: a signal handler may have interrupted it */
	uint8_t walk_number; /* of the walk that it used last */
	struct walk_thread stack;
};

extern __thread struct thread_state thread_state
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The state of this process where it counts, begun if it is new; NULL where it does not. */
struct process_state *process_begin(void);
extern struct process_state *process_state;

static inline struct process_state *
process_counting(void)
{
	struct process_state *process = process_state;

	if (process && __atomic_load_n(&process->phase, __ATOMIC_ACQUIRE) == PROCESS_COUNTING)
		return process;
	return process_begin();
}

/* glibc says since 2.32 whether there are other threads, however they were started. */
extern char __libc_single_threaded __attribute__((weak));

static inline bool
process_is_threaded(const struct process_state *process)
{
	const char *single = &__libc_single_threaded;

	return process->threaded || (single && !*single);
}

/* The lock costs next to nothing while there is one thread. */
static inline void
process_lock(struct process_state *process)
{
	if (process_is_threaded(process))
		system_lock(&process->lock);
}

/* As process_lock(): no second thread can have begun meanwhile, as the only one is in here. */
static inline void
process_unlock(struct process_state *process)
{
	if (process_is_threaded(process))
		system_unlock(&process->lock);
}

/* From here on there may be other threads. */
void process_note_threads(void);
/* A walk for this thread, to be returned; the thread is busy meanwhile. */
struct walk *process_borrow_walk(struct process_state *process, struct thread_state *thread);
void process_return_walk(struct process_state *process, const struct walk *walk);

/* Writes the maps that are not in the file yet, if an address of the walk is in none that are. */
void process_note_addresses(struct process_state *process, const struct walk *walk);
/* To be called after a module may have been unloaded. */
void process_check_unloaded(struct process_state *process);

/*
 * Room for a record at the end of the file, all zeros but for its head. NULL where there is none.
 * The lock is held.
 */
void *process_add_record(struct process_state *process, enum alloc_record_kind kind, size_t bytes);

/*
 * Which stack allocated a block, and its size: a word for each 16 bytes of memory, side by side as
 * the blocks are. A block's word is touched by whoever has the block, so no lock is needed, and it
 * is in the processor's cache when the block's neighbours are. With the C library's malloc, whose
 * blocks take at least 32 bytes, this is at most half of the heap's memory.
 */

/*
 * The entry of the block at `address`; NULL where nothing is known of such addresses. An entry of 0
 * is none.
 */
static inline uint64_t *
blocks_entry(const struct process_state *process, uintptr_t address)
{
	/* Some allocators align small blocks to 8 bytes: these have their own words. */
	size_t region = address >> BLOCK_REGION_BITS << 1 | (address >> 3 & 1);

	if (region >= BLOCK_REGIONS)
		return NULL;
	uint64_t *entries = __atomic_load_n(&process->blocks[region], __ATOMIC_ACQUIRE);

	return entries ? &entries[(address & ((UINT64_C(1) << BLOCK_REGION_BITS) - 1)) >> 4] : NULL;
}

/* Makes the entries of the region that `address` is in. As blocks_entry(); NULL: no memory. */
uint64_t *blocks_make_entry(struct process_state *process, uintptr_t address);

/*
 * Each stack once: an open hash table of places in the file. It is read without a lock, since a
 * slot is written once and after what it stands for.
 */

struct stack_index {
	size_t mask;
	size_t count;
	uint64_t slots[]; /* hash in the upper half, place / 8 in the lower; 0: empty */
};

static inline bool
stack_equals(const struct alloc_stack *stack, const struct walk *walk, uint32_t generation)
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

/* The stack of a walk. NULL where it is new: then it belongs into `free_slot`. */
static inline struct alloc_stack *
stacks_find(const struct process_state *process, const struct stack_index *index, uint32_t hash,
	const struct walk *walk, size_t *free_slot)
{
	size_t at = hash & index->mask;
	uint64_t slot;

	while ((slot = __atomic_load_n(&index->slots[at], __ATOMIC_ACQUIRE)) != 0) {
		struct alloc_stack *stack =
			(void *)((char *)process->file + (slot & UINT32_MAX) * 8);

		if (slot >> 32 == hash && stack_equals(stack, walk, process->generation))
			return stack;
		at = (at + 1) & index->mask;
	}
	*free_slot = at;
	return NULL;
}

/* Adds the stack of a walk unless it is there; NULL where there is no room. The lock is held. */
struct alloc_stack *stacks_add(
	struct process_state *process, const struct walk *walk, uint32_t hash);

#endif
