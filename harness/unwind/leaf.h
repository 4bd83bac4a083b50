/*
 * The caller that a chain of frame pointers leaves out.
 *
 * Where there is a link register, a function that calls nothing need not store it, and a chain of
 * frame records then begins with its caller's caller. A recording that holds the link register
 * beside such chains, as perf makes it on AArch64, tells the one between.
 */
#ifndef UNWIND_LEAF_H
#define UNWIND_LEAF_H

#include "unwind/unwind_machine.h"
#include "unwind/unwinder.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether the code at `pc` returns by the link register in `regs`, which is not on the stack there:
 * `*caller` is then the address it returns to. False where the rows do not say so, or there is no
 * such register. `space` may be NULL.
 */
bool unwind_leaf_caller(const struct unwind_machine *machine, const struct unwind_space *space,
	const struct unwind_regs *regs, uint64_t pc, uint64_t *caller);

#endif
