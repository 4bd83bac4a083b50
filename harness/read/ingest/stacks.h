/*
 * From the addresses of a sample to a node of the call tree.
 *
 * A stack is pushed address by address, leaf first, and then ended: its addresses are symbolized,
 * the functions that were inlined at them become frames of their own, and the node is found.
 */
#ifndef INGEST_STACKS_H
#define INGEST_STACKS_H

#include "ingest/place_frames.h"
#include "ingest/syscalls.h"
#include "ingest/wait_reason.h"
#include "perfdata/records.h"
#include "profile/frame.h"
#include "profile/line_weights.h"
#include "profile/profile.h"
#include "symbols/symbolizer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stack_entry;
struct stack_step;

/* How far a stack goes. */
enum stack_shape {
	STACK_WHOLE,     /* to its outermost frame, as far as is known */
	STACK_BROKEN,    /* what lies beyond is lost */
	STACK_TRUNCATED, /* because the copy of the stack, or the chain of frames, was too short */
};

/* Where an address came from. */
enum stack_flag {
	STACK_EXACT = 1, /* an instruction that was executing, not a return address */
	STACK_KERNEL = 2,
};

/* The frames of one entry of a stack, as symbolizer_frames() has them. */
struct stack_lines {
	size_t entry; /* from the root on; SIZE_MAX: none */
	size_t count;
	struct symbol symbol;
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
};

struct stacks {
	struct profile *profile;       /* borrowed */
	struct symbolizer *symbolizer; /* borrowed */
	bool no_marks;                 /* incomplete stacks look like others */
	bool at_lines;                 /* a frame for each line of a function */
	frame_id marks[3];             /* by enum stack_shape, 0 where it was not needed yet */
	struct place_frames places;    /* the places resolved so far */
	/*
	 * The stack being built, leaf first, and the one before it with its frames: neighbouring
	 * samples share most of their callers, and shared ones are not looked up again.
	 */
	struct stack_entry *stack;
	size_t depth;
	size_t capacity;
	struct stack_entry *last;
	size_t last_depth;
	uint32_t *ends;           /* of entry i from the root on: number of steps to its end */
	struct stack_step *steps; /* the frames, outermost first */
	size_t nsteps;
	size_t steps_capacity;
	node_id last_root;
	frame_id last_mark;
	const struct space *space; /* of the stack being built; NULL: nothing is known of it */
	uint32_t space_id;         /* 0: none */
	/* By frame of the kernel, plus one: the enum wait_reason that it tells; 0: not asked yet.
	 */
	uint8_t *reasons;
	size_t nreasons;
	/* Ranges of `space` around the address that was pushed last, and around the one before it.
	 */
	struct symbol_range range;
	struct symbol_range range_before;
	struct stack_lines lines; /* the entry of stacks_line() */
};

void stacks_init(struct stacks *stacks, struct profile *profile, struct symbolizer *symbolizer);
void stacks_release(struct stacks *stacks);

/* Drops all resolved places: functions of the kernel came or went. */
void stacks_forget(struct stacks *stacks);

/* Begins a stack; `space`, as for symbolizer_resolve(), is needed to its end. */
void stacks_begin(struct stacks *stacks, const struct space *space);
void stacks_push(struct stacks *stacks, uint64_t address, unsigned flags);
/* Pushes an address that lies in a known range, or at its end; not for the kernel's addresses. */
void stacks_push_in(
	struct stacks *stacks, const struct symbol_range *range, uint64_t address, unsigned flags);
/*
 * Pushes a system call, which was entered from the address that is pushed next; call it first.
 */
void stacks_push_syscall(struct stacks *stacks, enum syscall_table table, uint64_t number);
/* The result for one stack. */
struct stack_result {
	node_id node;      /* its leaf */
	bool unknown_leaf; /* the leaf has no name */
	bool broken;       /* not whole, or its outermost address is in no code that was mapped */
};

/* Ends the stack; returns its node, below the node `root`. */
struct stack_result stacks_end(struct stacks *stacks, node_id root, enum stack_shape shape);

/* The reason for the wait at the stack that ended last, as the kernel's functions on it tell. */
enum wait_reason stacks_reason(struct stacks *stacks);

/* Whether that stack releases a lock. */
bool stacks_release_lock(const struct stacks *stacks);

/* Whether it waited at a futex. */
bool stacks_wait_at_futex(const struct stacks *stacks);

/*
 * The node of what the thread waited for at the stack that ended last, whose node is `node`: below
 * it, but for the scheduler's own functions.
 */
node_id stacks_wait(struct stacks *stacks, node_id node, enum wait_reason reason);

/* The frames of the stack that ended last, below its root and its mark; frame 0 is the outermost.
 */

/* The number of frames. */
size_t stacks_nframes(const struct stacks *stacks);
frame_id stacks_frame(const struct stacks *stacks, size_t i);
/* Whether what was executing was in its code, inlined there or not. */
bool stacks_frame_is_leaf(const struct stacks *stacks, size_t i);
/* The node of the innermost frame. */
node_id stacks_leaf(const struct stacks *stacks);
/*
 * Where frame `i` stands: in its source, as the debug information tells, and in the file of its
 * code. A call is its instruction's, not what follows it. Strings as symbolizer_frames() has them.
 * False where it is no code: a system call.
 */
bool stacks_line(struct stacks *stacks, size_t i, struct line_place *place);

#endif
