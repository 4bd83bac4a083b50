/*
 * Unwinds a sample: from its registers and its copy of the stack to the addresses of its callers.
 *
 * Each thread that unwinds has its own unwinder, which caches the row of each address in code
 * that it has met; tables and spaces are shared and not changed by it.
 */
#ifndef UNWIND_UNWINDER_H
#define UNWIND_UNWINDER_H

#include "unwind/unwind_machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Deeper stacks are cut off; the kernel's own chains end at 127. */
#define UNWIND_DEPTH_MAX 1024

struct unwind_table; /* unwind/unwind_table.h */

/* A range of a process's memory that holds code. */
struct unwind_map {
	uint64_t start;
	uint64_t end; /* behind the last byte */
	uint64_t file_offset;
	struct unwind_table *table; /* NULL: there are no rows; frame pointers are tried */
};

/*
 * The mappings of a process at a moment; not changed once it is made. An unwinder keeps rows of the
 * tables: they are freed after it.
 */
struct unwind_space {
	/* Finds the map that holds an address, NULL if none does; where it is NULL, `maps` has
	 * them. */
	const struct unwind_map *(*find)(const void *context, uint64_t address);
	const void *context;
	struct unwind_map *maps; /* by start, not overlapping */
	size_t nmaps;
	/*
	 * The file whose trampolines may be in memory without rows, and the bytes each keeps on the
	 * stack (unwind_table_trampoline()); NULL: there is none.
	 */
	const struct unwind_table *trampolines;
	uint32_t trampoline_bytes;
};

/* The map that holds `address`; NULL if none does. */
const struct unwind_map *unwind_space_map(const struct unwind_space *space, uint64_t address);

/* How the walk ended. */
enum unwind_end {
	UNWIND_ROOT,      /* at the outermost frame, as its row or a return address of 0 says, or a
			     frame pointer of 0 in code without rows */
	UNWIND_TRUNCATED, /* the caller lies beyond the copy of the stack, which was too short */
	UNWIND_BROKEN,    /* no rows and no frame pointer, or they led nowhere */
	UNWIND_TOO_DEEP,  /* at UNWIND_DEPTH_MAX frames */
};

struct unwind_frame {
	uint64_t address;
	const struct unwind_map *map; /* the space's that holds its code; NULL: none */
	bool exact; /* it was executing there (the leaf, and what a signal interrupted): no return
       address */
};

struct unwind_stack {
	struct unwind_frame frames[UNWIND_DEPTH_MAX]; /* leaf first */
	size_t count;                                 /* at least 1 */
	enum unwind_end end;
	uint64_t reached_bytes; /* of the copy: how far beyond the stack pointer the walk read */
};

struct unwind_input {
	const struct unwind_space *space; /* NULL: nothing is known of the process */
	struct unwind_regs regs;
	const unsigned char *stack; /* from the stack pointer upwards; may be NULL */
	size_t stack_bytes;
	size_t stack_wanted; /* requested size of the copy; stack_bytes is less where the stack
				ends before it */
	/*
	 * Return addresses that the kernel has replaced, to notice when functions return
	 * (uretprobes), the innermost first: with that of the start of its own code ([uprobes]).
	 */
	const uint64_t *returns;
	size_t nreturns;
};

/* For a sample at most; functions that call themselves can have more. */
#define UNWIND_RETURNS_MAX 8

struct unwinder;

struct unwinder *unwinder_new(const struct unwind_machine *machine);
void unwinder_free(struct unwinder *unwinder);
/* The machine whose stacks it walks. */
const struct unwind_machine *unwinder_machine(const struct unwinder *unwinder);

/* Walks one stack. Never fails: `stack->end` says how the walk ended. */
void unwinder_walk(
	struct unwinder *unwinder, const struct unwind_input *input, struct unwind_stack *stack);

/*
 * Whether frame pointers would have sufficed: with checking on, every step by rows is taken by the
 * frame pointer as well and the two are compared. Off initially. A leaf that has not set up its
 * frame yet, or none at all, counts as not alike: its caller would have been missed. What was
 * counted before is forgotten.
 */
void unwinder_check_frame_pointers(struct unwinder *unwinder, bool on);
/* Steps out of code of `table` so far, and how many of them are the same by the frame pointer. */
void unwinder_frame_pointers(const struct unwinder *unwinder, const struct unwind_table *table,
	uint64_t *steps, uint64_t *alike);

/*
 * The caller that a chain of frame pointers leaves out.
 *
 * Where there is a link register, a function that calls nothing need not store it, and a chain of
 * frame records then begins with its caller's caller. A recording that holds the link register
 * beside such chains, as perf makes it on AArch64, has the missing caller.
 */

/*
 * Whether the code at `pc` returns by the link register in `regs`, which is not on the stack there:
 * `*caller` is then the address it returns to. False where the rows do not say so, or there is no
 * such register. `space` may be NULL.
 */
bool unwind_leaf_caller(const struct unwind_machine *machine, const struct unwind_space *space,
	const struct unwind_regs *regs, uint64_t pc, uint64_t *caller);

#endif
