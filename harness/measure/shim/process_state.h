/*
 * What the shim keeps of its process: the file of its records, the code maps already written to it,
 * and the walks that its threads borrow. It lies in memory that a forked child has as zeros: the
 * child begins anew, with its own file, whatever the parent's other threads were just doing.
 */
#ifndef SHIM_PROCESS_STATE_H
#define SHIM_PROCESS_STATE_H

#include "shim/shim.h"
#include "shim/system.h"
#include "shim/walk.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum process_phase {
	PROCESS_NEW, /* a forked child's, too */
	PROCESS_BEGINNING,
	PROCESS_COUNTING,
	PROCESS_OFF, /* there is no folder for files, or no memory */
};

/* Regions of 64 MiB of addresses; even and odd multiples of 8 bytes apart (alloc_count.c). */
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

	uint64_t **blocks; /* BLOCK_REGIONS of them (alloc_count.c) */

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

#endif
