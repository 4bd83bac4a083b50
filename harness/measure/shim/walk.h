/*
 * Finds the callers of a hook in its own process, without allocating.
 */
#ifndef SHIM_WALK_H
#define SHIM_WALK_H

#include "shim/alloc_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads /proc/self/maps without allocating.
 */

/* A line (proc_pid_maps(5)). */
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
 * A walk. The next one with it looks whether the outer frames are still those of the last: where
 * one has the same registers, and all that was read from memory from there on is the same, so are
 * its callers. Initially all zeros.
 */
struct walk {
	struct walk_frame frames[ALLOC_FRAMES_MAX]; /* outermost first */
	size_t nframes;
	uint16_t flags;   /* enum alloc_stack_flag */
	bool new_address; /* one was in no walk before: its map may be new, too */
	uint32_t rules;   /* when it was made: see walk_forget_rules() */
	uintptr_t high;   /* the end of its stack */
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
