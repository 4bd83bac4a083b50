/*
 * Walks the stack of a hook's caller in its own process, without allocating.
 */
#ifndef SHIM_WALK_H
#define SHIM_WALK_H

#include "shim/shim.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
