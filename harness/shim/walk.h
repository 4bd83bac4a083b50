/*
 * Finds the callers of a hook in its own process, without allocating.
 */
#ifndef SHIM_WALK_H
#define SHIM_WALK_H

#include "shim/alloc_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a hook was called from: its caller's registers behind the call. */
struct walk_start {
	uintptr_t pc; /* the return address */
	uintptr_t sp;
	uintptr_t fp;
};

/* What the walk keeps of a thread. Initially all zeros. */
struct walk_thread {
	uintptr_t stack_low; /* of the stack that it was last seen on: addresses in it are above ...
			      */
	uintptr_t stack_high; /* ... and below */
	uint64_t pcs[ALLOC_FRAMES_MAX];
	size_t npcs;
	uint64_t hash;    /* of the addresses */
	uint16_t flags;   /* enum alloc_stack_flag */
	bool new_address; /* one was in no walk before: its map may be new, too */
};

/* Fills in pcs, npcs and flags. */
void walk_stack(struct walk_thread *thread, const struct walk_start *start);
/* The stack of a thread that starts now, on which `local` is. */
void walk_thread_started(struct walk_thread *thread, const void *local);
/* Forgets all rules: code was unloaded, and other code may be at its addresses. */
void walk_forget_rules(void);

#endif
